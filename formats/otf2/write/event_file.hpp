// SPDX-License-Identifier: BSD-3-Clause
// One location's event file: chunks of equal size, the last one as long as it is used. One chunk or a part of one is in
// memory, and the file is opened when that is first full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/otf2/write/chunk_pool.hpp"
#include "tracer/base/files/file.hpp"

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
  /// `name` will be made in `directory`; descriptor and pool outlive the file. `window`: bytes that are in memory, at
  /// least 512 and at most `chunk_bytes`; where it is less, the file is open only while it is written. Throws
  /// tracer::Error.
  EventFile(int directory, std::string name, ChunkPool& pool, std::size_t chunk_bytes, std::size_t window);
  EventFile(int directory, std::string name, ChunkPool& pool, std::size_t chunk_bytes)
      : EventFile(directory, std::move(name), pool, chunk_bytes, chunk_bytes) {}
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  EventCursor cursor() const noexcept { return cursor_; }
  void set_cursor(const EventCursor& cursor) noexcept { cursor_ = cursor; }

  static constexpr std::size_t header_bytes = 18;  ///< of a chunk
  static constexpr std::size_t time_bytes = 9;     ///< of a time stamp
  /// Bytes that must be free behind what an event may take: its time, and the end of the chunk.
  static constexpr std::size_t beyond_event = time_bytes + 1;

  /// Writes what ends at `cursor`, and puts `time`. Behind that there is room for `bytes`, which fit into a chunk: in
  /// the same chunk if that has it, else in the next. Throws tracer::Error.
  EventCursor continue_at(EventCursor cursor, std::uint64_t time, std::size_t bytes);
  /// Writes the rest and closes the file. Throws tracer::Error.
  void finish();

 private:
  void begin_chunk(EventCursor& cursor) noexcept;
  void end_chunk(std::uint64_t last_event);
  void write_out(std::size_t bytes);
  void write(std::uint64_t at, std::span<const std::uint8_t> bytes);
  void widen(std::size_t bytes);
  std::size_t left_in_chunk() const noexcept { return static_cast<std::size_t>(chunk_at_ + chunk_bytes_ - written_); }

  int directory_;
  std::string name_;
  ChunkPool& pool_;
  std::size_t chunk_bytes_, window_;
  std::uint8_t* bytes_;                       ///< `window_` of them: the file's from `written_` on
  std::uint64_t chunk_at_ = 0, written_ = 0;  ///< in the file
  bool is_made_ = false;
  EventCursor cursor_;
  UniqueFd fd_;
};

/// Makes the files of locations' own definitions in one directory. Locations with the same records share one file by
/// hard links where the file system has them: a process may have had a hundred thousand threads. Any thread may call
/// it.
class LocalDefinitionWriter {
 public:
  /// The file `name` in `directory`, with these records or none. Throws tracer::Error, also where it is there already.
  void make(int directory, const std::string& name, std::span<const std::uint8_t> records = {});
  /// The same, anew where it is there already.
  void replace(int directory, const std::string& name, std::span<const std::uint8_t> records);

 private:
  bool link_to_last(int directory, const std::string& name, std::span<const std::uint8_t> records);

  std::mutex mutex_;
  std::string last_;                        ///< the file that was written last; guarded by `mutex_`
  std::vector<std::uint8_t> last_records_;  ///< of that file; guarded by `mutex_`
};

}  // namespace tracer::otf2
