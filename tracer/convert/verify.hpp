// SPDX-License-Identifier: BSD-3-Clause
// Nothing is removed before what replaces it has been read back.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tracer {

enum class Events : std::uint8_t {
  all,
  begin  ///< of each file: the files are links to some that were read
};

/// Reads the archive in `directory`: anchor, definitions, and the events of each location. Throws tracer::Error that
/// names what cannot be read.
void verify_archive(const std::filesystem::path& directory, Events events, unsigned threads);

}  // namespace tracer
