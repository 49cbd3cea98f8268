// SPDX-License-Identifier: BSD-3-Clause
// Which archive a command is about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tracer/samples.hpp"

namespace tracer::cli {

/// The archive that a user means: the anchor file, its directory, or "": the newest trace
/// (./tracer-*/traces.otf2) in this directory. Throws tracer::Error with what to do next.
std::filesystem::path find_archive(const std::string& given);

/// The samples beside an archive, given by its anchor file; none where there are none. Throws tracer::Error for a file
/// that cannot be read.
std::optional<samples::SampleSet> read_samples(const std::filesystem::path& anchor);

}  // namespace tracer::cli
