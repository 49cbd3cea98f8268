// SPDX-License-Identifier: BSD-3-Clause
// The index of an archive with all that Tracer's commands look for in it, and a part's begin found by it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/cut/part_state.hpp"
#include "tracer/index/store.hpp"

namespace tracer {

/// The index that is kept, else a new one, as index::open_or_build() has it, made by so many threads (0: as many as are
/// of use). `source` is to have all its locations.
index::Stored open_index(otf2::PositionedSource& source, const std::function<void(double)>& progress,
                         unsigned threads = 0);

/// Where reading of a part can begin, for report::part_of(). `source` must outlive the result.
report::FindPartStart part_starts(otf2::PositionedSource& source, std::shared_ptr<const index::Contents> contents);

}  // namespace tracer
