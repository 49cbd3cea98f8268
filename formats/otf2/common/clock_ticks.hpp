// SPDX-License-Identifier: BSD-3-Clause
// Ticks of an archive's clock and nanoseconds.
#pragma once

#include <cstdint>

namespace tracer::otf2 {

inline constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;
__extension__ using WideTicks = unsigned __int128;

/// Rounded down. `resolution`: ticks a second, not 0.
inline std::uint64_t nanoseconds_of(std::uint64_t ticks, std::uint64_t resolution) noexcept {
  if (resolution == nanoseconds_per_second) return ticks;
  return static_cast<std::uint64_t>(WideTicks{ticks} * nanoseconds_per_second / resolution);
}

/// The other way round: the first tick that is at `ns` or behind it, at most 2^64 - 1.
inline std::uint64_t first_tick_at(std::uint64_t ns, std::uint64_t resolution) noexcept {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  if (ns == never || resolution == nanoseconds_per_second) return ns;
  const WideTicks tick = (WideTicks{ns} * resolution + nanoseconds_per_second - 1) / nanoseconds_per_second;
  return tick > never ? never : static_cast<std::uint64_t>(tick);
}

}  // namespace tracer::otf2
