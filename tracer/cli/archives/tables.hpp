// SPDX-License-Identifier: BSD-3-Clause
// Parquet tables of an archive, as `export` and `run` make them.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/event_source.hpp"
#include "tracer/samples.hpp"

namespace tracer::cli {

/// With a progress bar on a terminal; returns a line on what was written. `samples`: of the trace; null: none. Throws
/// tracer::Error.
std::string write_tables_with_progress(EventSource& source, const std::filesystem::path& directory,
                                       std::uint64_t shortest = 0, const samples::SampleSet* samples = nullptr);

/// `tables` beside an archive's anchor file. Throws tracer::Error.
std::string write_tables_beside(const std::filesystem::path& archive);

}  // namespace tracer::cli
