// SPDX-License-Identifier: BSD-3-Clause
// Writes events that were read: any kind that has a row in event_table.cpp, references and times as the reader gave
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/otf2/common/event_view.hpp"
#include "formats/otf2/write/event_file.hpp"

namespace tracer::otf2 {

/// One location's file. One thread at a time.
class EventCopy {
 public:
  /// As EventFile.
  EventCopy(int directory, const std::string& name, ChunkPool& pool, std::size_t chunk_bytes, std::size_t window);

  /// Not before the last event's time. Events of a kind without a row are left out: what they hold is not known.
  /// Throws tracer::Error.
  void append(const EventView& event);
  void finish() { file_.finish(); }
  std::uint64_t events() const noexcept { return file_.cursor().events; }

 private:
  void put_attributes(std::span<const AttributeView> attributes);
  void put_event(const EventView& event);
  void put_number(Encoding encoding, std::uint64_t value);
  void put_length(std::size_t at);
  void write(std::uint64_t time);

  EventFile file_;
  std::string name_;
  std::size_t chunk_bytes_;
  std::vector<std::uint8_t> bytes_;  ///< of the event at hand
};

}  // namespace tracer::otf2
