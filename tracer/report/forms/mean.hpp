// SPDX-License-Identifier: BSD-3-Clause
// The mean of a sum, for the columns of tables and for JSON.
#pragma once

#include <cstdint>

namespace tracer::report {

/// Rounded down; 0 where nothing was counted.
constexpr std::uint64_t mean(std::uint64_t total, std::uint64_t count) noexcept {
  return count == 0 ? 0 : total / count;
}

}  // namespace tracer::report
