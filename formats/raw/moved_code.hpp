// SPDX-License-Identifier: BSD-3-Clause
// A library that is opened where a closed one was has its addresses: here each gets a range of its own, by time.
#pragma once

#include <memory>
#include <vector>

#include "tracer/journal.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::raw {

/// Moves modules that lie where an earlier, closed one of another name or build was to addresses that no process has.
std::vector<MovedCode> separate(std::vector<Module>& modules);

/// The records of `reader` with their return addresses in the moved ranges; `moved` outlives it.
std::unique_ptr<RecordReader> move_code(std::unique_ptr<RecordReader> reader, const std::vector<MovedCode>& moved);

}  // namespace tracer::raw
