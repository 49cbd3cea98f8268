// SPDX-License-Identifier: BSD-3-Clause
// Makes an index in one pass over an archive's events.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/index/table_builder.hpp"

namespace tracer::index {

/// Of an event file a block has at least so many bytes, and ends behind them where reading can go on.
inline constexpr std::uint64_t block_bytes = 16 * 1024;

/// The bytes of the index. `progress` gets the share that is done, 0 to 1; may be empty. Throws tracer::Error where the
/// archive cannot be read. `tables`: they are given all events, and what they make of them is in the index. `threads`:
/// so many, two at most; 0: where there are two processors two.
std::string build(otf2::PositionedSource& source, std::uint64_t stamp, const std::function<void(double)>& progress,
                  const TableBuilders& tables = {}, unsigned threads = 0);

}  // namespace tracer::index
