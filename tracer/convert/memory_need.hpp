// SPDX-License-Identifier: BSD-3-Clause
// What a conversion would take, before it is begun: nobody is to be killed for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tracer/time.hpp"
#include "tracer/trace_source.hpp"

namespace tracer {

struct Limits {
  std::uint64_t memory = 0;  ///< bytes
  Nanoseconds processor_time = 0;
  std::uint64_t file = 0;  ///< bytes that tables may have in a file instead of memory (spill_room.hpp)
};

/// "" where a conversion keeps to the limits, else what it would take and what there is, as part of a sentence. An
/// estimate, rather too much; where a rough one (from the number of records) does not do, the records are counted.
std::string what_lacks(const TraceSource& source, const Limits& limits);

/// Those of this process, for an archive in `directory`.
Limits limits_of_process(const std::filesystem::path& directory);

}  // namespace tracer
