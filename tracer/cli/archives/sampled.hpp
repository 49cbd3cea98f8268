// SPDX-License-Identifier: BSD-3-Clause
// An archive with its samples in it, for the command line.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/samples.hpp"

namespace tracer::cli {

/// Writes `archive`, an anchor file, with `samples` into `directory`, which must not be there or be empty. Returns what
/// to print. Throws tracer::Error.
std::string write_sampled_with_progress(const std::filesystem::path& archive, const samples::SampleSet& samples,
                                        const std::filesystem::path& directory);

}  // namespace tracer::cli
