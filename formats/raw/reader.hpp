// SPDX-License-Identifier: BSD-3-Clause
// Reads a raw trace, finished or not: the segments, what is still in the rings, and the journal.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "formats/raw/layout.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::raw {

/// What was found, for those who recover.
struct OpenReport {
  std::uint64_t segments = 0;
  std::uint64_t records = 0;       ///< in segments
  std::uint64_t ring_records = 0;  ///< still in the rings: published, not yet in a segment
  std::uint64_t device_records = 0;
  std::uint64_t missing_records = 0;  ///< positions that neither a segment nor a ring has
  std::filesystem::path spool;        ///< the rings' directory, "" none or gone
  std::vector<std::string> damage;    ///< one line for each thing that could not be read
  std::uint64_t cut_bytes = 0;        ///< at the files' ends: what the process was writing when it died
  bool complete = false;              ///< the run ended by the book and nothing is damaged or missing
  bool being_recorded = false;        ///< by a process other than this one
};

class RawTrace : public TraceSource {
 public:
  virtual const OpenReport& report() const = 0;
};

/// `path`: the raw directory, or the archive's directory that has it in `raw`. Damage is skipped and recorded in the
/// report, in the journal's counters, and as `lost` records where records are missing. Throws tracer::Error when
/// there is no raw trace, or one of another version.
std::unique_ptr<RawTrace> open_trace(const std::filesystem::path& path);
std::unique_ptr<TraceSource> open(const std::filesystem::path& path);

/// The directory with `journal` and `trace` that `path` means; throws tracer::Error.
std::filesystem::path raw_directory_of(const std::filesystem::path& path);

}  // namespace tracer::raw
