// SPDX-License-Identifier: BSD-3-Clause
// An EventSink that writes an OTF2 archive: <directory>/traces.otf2 and what belongs to it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "tracer/event_sink.hpp"

namespace tracer {

/// Which enumeration values the archive may hold: 3.0 is what today's readers support.
enum class Otf2Level { v3_0, v3_1 };

/// False when built with OTF2 3.0: level 3.1 is then written as 3.0.
bool otf2_library_has_level_3_1() noexcept;

struct Otf2Options {
  Otf2Level level = Otf2Level::v3_0;
  /// Of each event attribute, by index as in Definitions::attributes, for callers without prepare().
  /// Attributes beyond it are uint64.
  std::vector<ValueType> attribute_types;
  /// Of each metric, by index as in Definitions::metrics: has it a recorder, so that it is an instance?
  /// Metrics beyond it have. OTF2 wants an instance's class right before it, which moves references.
  std::vector<bool> metric_has_recorder;
  /// Memory of one open location and the size of its reads later; between 256 KiB and 16 MiB.
  std::size_t chunk_bytes = 256 * 1024;
  /// Memory of one open location where many are open at once: at least 512 bytes, less than a chunk. 0: a chunk. Its
  /// file is then open only while it is written.
  std::size_t window_bytes = 0;
};

/// Makes `directory` (0700) if needed; nothing is written outside it. Throws tracer::Error when it
/// holds an archive already or cannot be written. open() may be called by several threads, each
/// LocationWriter by one at a time. Every event must not be older than the one before it on its
/// location. After the first tracer::Error of any of its parts the sink refuses everything else and
/// leaves no anchor file: an archive with `traces.otf2` is a complete one. Files are 0600.
std::unique_ptr<EventSink> make_otf2_sink(const std::filesystem::path& directory, const Otf2Options& options = {});

}  // namespace tracer
