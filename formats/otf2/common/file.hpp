// SPDX-License-Identifier: BSD-3-Clause
// Whole files and parts of them, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace tracer::otf2 {

/// nullopt: no such file. Throws tracer::Error when it is not a regular file that can be read.
std::optional<std::uint64_t> size_of_file(const std::filesystem::path& file);

/// At most `bytes` from `offset` on into `to`; fewer only at the file's end. Throws tracer::Error.
std::size_t read_at(const std::filesystem::path& file, std::uint64_t offset, std::uint8_t* to, std::size_t bytes);

/// Throws tracer::Error, also when the file is larger than `limit`.
std::vector<std::uint8_t> read_whole(const std::filesystem::path& file, std::uint64_t limit);

}  // namespace tracer::otf2
