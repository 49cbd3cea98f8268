// SPDX-License-Identifier: BSD-3-Clause
// Parquet tables of an archive, as `export` and `run` make them.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/columns/write.hpp"
#include "tracer/event_source.hpp"

namespace tracer::cli {

/// What WriteOptions::anchor is for the archive of this anchor file: the CRC-32 of its bytes, in decimal digits.
std::string name_of_archive(const std::filesystem::path& anchor);

/// With a progress bar on a terminal; returns a line on what was written. Throws tracer::Error.
std::string write_tables_with_progress(EventSource& source, const std::filesystem::path& directory,
                                       columns::WriteOptions options);

/// `tables` beside an archive's anchor file. Throws tracer::Error.
std::string write_tables_beside(const std::filesystem::path& archive);

}  // namespace tracer::cli
