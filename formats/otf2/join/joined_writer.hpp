// SPDX-License-Identifier: BSD-3-Clause
// The archive that joined definitions are written to, by the OTF2 library.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "formats/otf2/join/join.hpp"
#include "formats/otf2/join/joined_definitions.hpp"
#include "formats/otf2/write/chunk_pool.hpp"
#include "formats/otf2/write/event_file.hpp"
#include "tracer/base/files/file.hpp"

namespace tracer::otf2 {

class JoinedArchive {
 public:
  /// Throws tracer::Error.
  JoinedArchive(std::filesystem::path directory, std::uint64_t event_chunk);
  ~JoinedArchive();
  JoinedArchive(const JoinedArchive&) = delete;
  JoinedArchive& operator=(const JoinedArchive&) = delete;

  /// The directory of the locations' files.
  int locations() const noexcept { return locations_.get(); }
  /// The file of a location's own definitions: these records, or none.
  void add_definitions(const std::string& name, std::span<const std::uint8_t> records = {});
  /// Files of a location without events.
  void add_empty(const std::string& name);
  void finish(const JoinedDefinitions& definitions, const JoinOptions& options);

 private:
  void write(OTF2_GlobalDefWriter* writer, const JoinedDefinitions& d, const ClockProperties& clock);
  void write_places(OTF2_GlobalDefWriter* writer, const JoinedDefinitions& d);
  void write_communicators(OTF2_GlobalDefWriter* writer, const JoinedDefinitions& d);
  void write_io(OTF2_GlobalDefWriter* writer, const JoinedDefinitions& d);
  void write_metrics(OTF2_GlobalDefWriter* writer, const JoinedDefinitions& d);

  std::filesystem::path directory_;
  ChunkPool pool_;
  UniqueFd place_, locations_;
  OTF2_Archive* archive_ = nullptr;
  std::uint64_t event_chunk_;
  LocalDefinitionWriter local_definitions_;
  std::size_t largest_ = 0;  ///< bytes of a location's own definitions: readers want the largest to fit a chunk
};

}  // namespace tracer::otf2
