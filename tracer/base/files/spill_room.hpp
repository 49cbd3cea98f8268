// SPDX-License-Identifier: BSD-3-Clause
// How much of a SpillFile in a directory would lie in the file.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tracer {

/// Bytes; 0: where files are memory themselves, cannot be reserved, or none can be made. The file may come to be full.
std::uint64_t spill_room(const std::filesystem::path& directory) noexcept;

}  // namespace tracer
