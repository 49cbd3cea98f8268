// SPDX-License-Identifier: BSD-3-Clause
// Which archive a command is about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tracer/cli/options/arguments.hpp"
#include "tracer/journal.hpp"
#include "tracer/samples.hpp"

namespace tracer::cli {

/// The archive that a user means: the anchor file, its directory, or "": the newest trace
/// (./tracer-*/traces.otf2) in this directory. Throws tracer::Error with what to do next.
std::filesystem::path find_archive(const std::string& given);

/// The argument that names it, of each command that reads one.
void add_archive(Arguments& app, std::string& given);

/// Date and time as names of traces have them, of the place that this process runs in.
std::string local_time_name();

/// "./tracer-PROGRAM-TIME-PID", of an archive that is made now.
std::string new_archive_name(const RunInfo& run);

/// Where the samples of an archive are, given by its anchor file; none: it has no such file.
std::optional<std::filesystem::path> file_of_samples(const std::filesystem::path& anchor);
/// These samples; none where there are none. Throws tracer::Error for a file that cannot be read.
std::optional<samples::SampleSet> read_samples(const std::filesystem::path& anchor);

}  // namespace tracer::cli
