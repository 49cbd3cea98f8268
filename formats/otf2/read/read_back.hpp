// SPDX-License-Identifier: BSD-3-Clause
// Reads an archive as its readers will, before what it replaces is removed.
#pragma once

#include <cstddef>
#include <filesystem>

#include "formats/otf2/read/reader.hpp"

namespace tracer::otf2 {

/// Everything const may be used by several threads at once.
class ReadBack {
 public:
  /// Reads the anchor and the definitions. Throws tracer::Error.
  explicit ReadBack(const std::filesystem::path& directory);
  std::size_t locations() const noexcept { return trace_.definitions().locations.size(); }
  /// Reads all events of a location, to the end mark of its file. Throws tracer::Error that names the file.
  void events_of(std::size_t location) const;
  /// The same without the events: the file's beginning and the location's own definitions.
  void begin_of(std::size_t location) const;

 private:
  Trace trace_;
};

}  // namespace tracer::otf2
