// SPDX-License-Identifier: BSD-3-Clause
// What memory the samples of a run take while they are converted, from the raw trace's file of them.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tracer {

/// Bytes that convert_samples() takes at most, by the size of the file alone; 0 where there is none.
std::uint64_t most_bytes_of_samples(const std::filesystem::path& file);

/// The same by the file's entries. Where it is more than `limit`, it may be more than convert_samples() takes; the
/// count itself takes less than `limit`.
std::uint64_t bytes_of_samples(const std::filesystem::path& file, std::uint64_t limit);

}  // namespace tracer
