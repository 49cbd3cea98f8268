// SPDX-License-Identifier: BSD-3-Clause
// What `run`, `convert` and others share about making archives of raw traces.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tracer/convert/summary.hpp"

namespace tracer::cli {

/// With a progress bar on a terminal. A run that did not end by the book is recovered.
ConvertResult convert_with_progress(const std::filesystem::path& raw, const std::filesystem::path& directory,
                                    ConvertOptions options);

/// TRACER_THREADS and TRACER_KEEP_RAW, out of `settings` (NAME=VALUE) or the environment.
ConvertOptions conversion_settings(const std::vector<std::string>& settings);

/// TRACER_OUTPUT as an absolute pattern: `given`, or the environment's, or the default.
std::string output_pattern(const std::string& given);

/// Directories that the pattern may have made and that got a raw trace since `began`; oldest first.
std::vector<std::filesystem::path> new_raw_traces(const std::string& pattern, std::filesystem::file_time_type began);

/// `word` so that a shell takes it as one.
std::string shell_word(const std::string& word);

}  // namespace tracer::cli
