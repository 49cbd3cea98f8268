// SPDX-License-Identifier: BSD-3-Clause
// One location's event file: chunks of equal size, the last one as long as it is used. One chunk is in
// memory, and the file is opened when the first is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "formats/otf2/chunk_pool.hpp"
#include "tracer/base/file.hpp"

namespace tracer::otf2 {

/// Where the next event goes. A copy of it stays in registers while events are encoded.
struct EventCursor {
  std::uint8_t* at = nullptr;
  std::uint8_t* end = nullptr;  ///< of the chunk
  std::uint64_t time = 0;       ///< of the last event
  std::uint64_t events = 0;
};

class EventFile {
 public:
  /// `name` will be made in `directory`; descriptor and pool outlive the file. Throws tracer::Error.
  EventFile(int directory, std::string name, ChunkPool& pool, std::size_t chunk_bytes);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  EventCursor cursor() const noexcept { return cursor_; }
  void set_cursor(const EventCursor& cursor) noexcept { cursor_ = cursor; }

  /// Bytes that must be free behind what an event may take: its time, and the end of the chunk.
  static constexpr std::size_t beyond_event = 10;

  /// Writes the chunk that ends at `cursor`; the next one begins with `time`. Throws tracer::Error.
  EventCursor next_chunk(EventCursor cursor, std::uint64_t time);
  /// Writes the rest and closes the file. Throws tracer::Error.
  void finish();

 private:
  void begin_chunk(EventCursor& cursor) noexcept;
  void end_chunk(const EventCursor& cursor) noexcept;
  void write_out(std::size_t bytes);

  int directory_;
  std::string name_;
  ChunkPool& pool_;
  std::size_t chunk_bytes_;
  std::uint8_t* chunk_;
  EventCursor cursor_;
  UniqueFd fd_;
};

/// Makes the file of a location's own definitions: these records, or none. Throws tracer::Error.
void write_local_definitions(int directory, const std::string& name, std::span<const std::uint8_t> records = {});
/// Makes it anew.
void replace_local_definitions(int directory, const std::string& name, std::span<const std::uint8_t> records);

}  // namespace tracer::otf2
