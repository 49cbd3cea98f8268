// SPDX-License-Identifier: BSD-3-Clause
// The samples of a trace, with their call stacks in words: a file beside the archive (docs/formats/samples.md).
#pragma once

#include <filesystem>

#include "tracer/samples.hpp"

namespace tracer::samples {

/// The file's name in the archive's directory.
inline constexpr const char* file_name = "samples.bin";

/// Where it is written until it is whole.
std::filesystem::path unfinished(const std::filesystem::path& path);
/// Writes beside the name and renames at the end. Throws tracer::Error.
void write(const SampleSet& set, const std::filesystem::path& path);
/// Throws tracer::Error for a file that is none of ours, is damaged, or claims more than it holds.
SampleSet read(const std::filesystem::path& path);

}  // namespace tracer::samples
