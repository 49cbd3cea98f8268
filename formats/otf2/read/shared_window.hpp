// SPDX-License-Identifier: BSD-3-Clause
// The memory of archives that are read or written at all their locations at a time.
#pragma once

#include <algorithm>
#include <cstddef>

namespace tracer::otf2 {

/// Bytes of an event file that are in memory, when as many locations are open together: they share what few of them
/// would have. At least 4 KiB, at most `most`, which is not less.
constexpr std::size_t shared_window(std::size_t locations, std::size_t most) noexcept {
  constexpr std::size_t all = std::size_t{48} << 20, least = 4 * 1024;
  return std::clamp(all / std::max<std::size_t>(locations, 1), least, most);
}

}  // namespace tracer::otf2
