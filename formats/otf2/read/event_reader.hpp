// SPDX-License-Identifier: BSD-3-Clause
// One location's events out of its .evt file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "formats/otf2/common/byte_cursor.hpp"
#include "formats/otf2/common/event_view.hpp"
#include "formats/otf2/common/file.hpp"

namespace tracer::otf2 {

struct LocalDefinitions;

/// An event of the kinds that most of every file consists of: Enter, Leave, and those of tasks and of OpenMP's locks.
struct PlainEvent {
  std::uint64_t time = 0;
  std::array<std::uint32_t, 3> field{};  ///< as EventView's; what does not fit is no such event
  EventKind kind = EventKind::none;
  std::uint8_t attributes = 0;
};

/// Where in a location's file reading can go on: before an event, or the file's end.
struct ReadPosition {
  std::uint64_t offset = 0;  ///< of the next record, in the file
  std::uint64_t time = 0;    ///< of the last time stamp before it, as it is in the file
  std::uint64_t event = 0;   ///< how many events are before it
};

/// Keeps no file open between two refills, so that thousands of locations can be read together.
/// Used by one thread at a time.
class EventReader {
 public:
  /// Bytes of a file in memory, where few are open together.
  static constexpr std::size_t most_window = 48 * 1024;

  /// `chunk` is the archive's event chunk size; `window`: how much of the file is in memory, in bytes, but for records
  /// that are longer. Throws tracer::Error when the file cannot be read.
  EventReader(std::filesystem::path file, std::uint64_t location, std::uint64_t chunk,
              std::shared_ptr<const LocalDefinitions> local, std::size_t window = most_window);

  /// The next event; false at the file's end. Throws tracer::Error on damage, after which no more
  /// events come. `view` and its spans are valid until the next call.
  bool next(EventView& view);

  /// The next events, at most out.size(), as long as they are plain and their attributes unsigned numbers, which come
  /// behind those in `attributes`. 0: what comes next is for next(). Nothing is thrown but for lack of memory.
  std::size_t next_plain(std::span<PlainEvent> out, std::vector<AttributeView>& attributes);

  /// Where the next call of next() or next_plain() goes on.
  ReadPosition position() const noexcept { return {base_ + at_, time_, position_}; }
  /// Goes on from there: a position of another reader of the same file. Throws tracer::Error where there can be no
  /// record, and does not find out by itself where there is none; what is read from there on is checked as ever.
  void go_to(const ReadPosition& position);

  /// The next event will be requested soon: with thousands of readers it is in no cache by then.
  void expect() const noexcept { __builtin_prefetch(buffer_.data() + at_); }

  std::uint64_t location() const noexcept { return location_; }
  std::uint64_t count() const noexcept { return position_; }  ///< events so far

 private:
  enum class Item : std::uint8_t { event, attributes, timestamp, end_of_chunk, end_of_file, incomplete };

  bool next_plain(EventView& view);
  Item parse(ByteCursor& in, EventView& view);
  bool parse_event(ByteCursor& in, EventView& view);
  bool parse_attributes(ByteCursor& in);
  void parse_tail(ByteCursor& in, EventView& view);
  void begin_chunk();
  void enter_chunk(std::uint64_t begin);
  void read_header(ByteCursor& in, std::uint64_t begin);
  void require(std::size_t bytes);
  bool refill();
  std::uint64_t corrected(std::uint64_t time) noexcept;
  std::uint64_t mapped(ReferenceKind kind, std::uint64_t ref) const;
  [[noreturn]] void damaged(const char* what);
  std::size_t usable() const noexcept;

  FileInParts file_;
  std::uint64_t location_, chunk_;
  std::size_t window_;
  std::shared_ptr<const LocalDefinitions> local_;
  std::uint64_t size_ = 0;                       ///< of the file
  std::uint64_t chunk_end_ = 0;                  ///< offset in the file
  std::uint64_t header_of_ = ~std::uint64_t{0};  ///< where the chunk begins whose header was read last
  std::vector<std::uint8_t> buffer_;             ///< the file from base_ on
  std::uint64_t base_ = 0;
  std::size_t at_ = 0, filled_ = 0;  ///< in the buffer
  std::uint64_t time_ = 0, position_ = 0;
  std::size_t interval_ = 0;  ///< of the clock
  bool big_endian_ = false, done_ = false;
  bool as_it_is_ = false;  ///< nothing is mapped and no clock corrected
  std::vector<AttributeView> attributes_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint8_t> types_;
};

}  // namespace tracer::otf2
