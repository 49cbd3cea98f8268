// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a, for names that several processes must compute alike; not secure against forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracer {

inline constexpr std::uint64_t fnv1a_basis = 0xcbf29ce484222325u;

constexpr std::uint64_t fnv1a(std::uint64_t hash, std::uint32_t value) noexcept {
  return (hash ^ value) * 0x100000001b3u;
}
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = fnv1a_basis) noexcept {
  for (const char c : text) hash = fnv1a(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace tracer
