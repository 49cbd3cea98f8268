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
  bool is_share = false;   ///< other conversions of the process have the rest
};

/// What a raw trace has besides its threads' records.
struct BesideRecords {
  std::uint64_t device_records = 0;
  std::filesystem::path samples;  ///< the file, which need not be there
};

/// "" where a conversion keeps to the limits, else what it would take and what there is, as part of a sentence. An
/// estimate, rather too much; where a rough one (from the number of records and the size of the samples' file) does not
/// do, the records and the samples are counted.
std::string what_lacks(const TraceSource& source, const Limits& limits, const BesideRecords& beside = {});

/// Those of this process, for an archive in `directory`: the share of one of so many conversions.
Limits limits_of_process(const std::filesystem::path& directory, unsigned at_once = 1);

}  // namespace tracer
