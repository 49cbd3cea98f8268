// SPDX-License-Identifier: BSD-3-Clause
// Writes a timeline as CSV files: slices, arrows, counters, and the tables that their numbers refer to.
#pragma once

#include <filesystem>
#include <memory>

#include "tracer/timeline.hpp"

namespace tracer {

/// Makes `directory` and in it locations.csv, regions.csv, slices.csv, arrows.csv and counters.csv
/// (RFC 4180, UTF-8, a line of titles; times in ns since the trace's start). Throws tracer::Error,
/// from finish() too when a disk is full.
std::unique_ptr<TimelineVisitor> make_csv_writer(const Definitions& definitions,
                                                 const std::filesystem::path& directory);

}  // namespace tracer
