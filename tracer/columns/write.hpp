// SPDX-License-Identifier: BSD-3-Clause
// From a trace to a directory of Parquet files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "tracer/event_source.hpp"
#include "tracer/samples.hpp"

namespace tracer::columns {

struct WriteOptions {
  std::uint64_t shortest = 0;                   ///< ns; regions below it get no row
  std::function<void(double)> progress;         ///< 0 to 1; may be empty
  const samples::SampleSet* samples = nullptr;  ///< of the trace; null: none
  std::string anchor;  ///< names the archive that has these rows and no others; "": there is none
};
struct WriteResult {
  std::uint64_t rows = 0, bytes = 0;
};

/// `directory` appears when all is written: it is made beside, under another name, and then renamed. It must not exist
/// or be empty. Throws tracer::Error; nothing is left behind then.
WriteResult write_tables(EventSource& source, const std::filesystem::path& directory, const WriteOptions& options = {});

}  // namespace tracer::columns
