// SPDX-License-Identifier: BSD-3-Clause
// The samples of a raw trace become the file beside the archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tracer/journal.hpp"
#include "tracer/time.hpp"
#include "tracer/translate/regions/regions.hpp"

namespace tracer {

/// Reads <raw_directory>/samples, if there is one, and writes <directory>/samples.bin. Returns the number of samples.
/// A thread that has not gone on running does not run until the archive's `end`, or until its own. What cannot be read
/// gets a line in `damage`. Throws tracer::Error when the file cannot be written, or what was written cannot be read.
std::uint64_t convert_samples(const std::filesystem::path& raw_directory, const std::filesystem::path& directory,
                              const Journal& journal, const translate::Symbolizer& symbolize, Nanoseconds end,
                              std::vector<std::string>& damage);

/// When, on the archive's line, a sample was taken last, by what else the journal has of the process's life; 0: there
/// is none.
Nanoseconds last_sample(const std::filesystem::path& raw_directory, const Journal& journal);

}  // namespace tracer
