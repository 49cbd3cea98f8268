// SPDX-License-Identifier: BSD-3-Clause
// Shares and means, which are 0 where there is nothing to divide by.
#pragma once

#include <cstdint>

namespace tracer::report {

constexpr double share(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Rounded down.
constexpr std::uint64_t mean(std::uint64_t total, std::uint64_t count) noexcept {
  return count == 0 ? 0 : total / count;
}

}  // namespace tracer::report
