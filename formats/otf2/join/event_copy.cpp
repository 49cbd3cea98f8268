// SPDX-License-Identifier: BSD-3-Clause
// See event_copy.hpp. The bytes are those that encode.hpp describes.
#include "formats/otf2/join/event_copy.hpp"

#include <cstring>

#include "formats/otf2/common/trace_definitions.hpp"
#include "formats/otf2/write/encode.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t timestamp = 5, attribute_list = 6;

}  // namespace

EventCopy::EventCopy(int directory, const std::string& name, ChunkPool& pool, std::size_t chunk_bytes,
                     std::size_t window)
    : file_(directory, name, pool, chunk_bytes, window), name_(name), chunk_bytes_(chunk_bytes) {}

void EventCopy::append(const EventView& event) {
  if (event.name().empty()) return;
  bytes_.clear();
  if (!event.attributes.empty()) put_attributes(event.attributes);
  put_event(event);
  write(event.time);
}

void EventCopy::put_number(Encoding encoding, std::uint64_t value) {
  std::uint8_t number[16];
  const std::uint8_t* end = number;
  switch (encoding) {
    case Encoding::u8:
      end = put_u8(number, static_cast<std::uint8_t>(value));
      break;
    case Encoding::u32:
      end = put(number, static_cast<std::uint32_t>(value));
      break;
    case Encoding::u64:
      end = put(number, value);
      break;
    case Encoding::i64:
      end = put_signed(number, static_cast<std::int64_t>(value));
      break;
    case Encoding::time:
      end = put_full(number, value);
      break;
  }
  bytes_.insert(bytes_.end(), static_cast<const std::uint8_t*>(number), end);
}

/// Of what was put behind `at`, where it goes: one byte, or 0xff and eight.
void EventCopy::put_length(std::size_t at) {
  const std::uint64_t length = bytes_.size() - at;
  std::uint8_t number[9];
  const std::uint8_t* end =
      length < 0xff ? put_u8(number, static_cast<std::uint8_t>(length)) : put_full(put_u8(number, 0xff), length);
  bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(at), static_cast<const std::uint8_t*>(number), end);
}

void EventCopy::put_attributes(std::span<const AttributeView> attributes) {
  bytes_.push_back(attribute_list);
  const std::size_t at = bytes_.size();
  put_number(Encoding::u32, attributes.size());
  for (const AttributeView& a : attributes) {
    put_number(Encoding::u32, a.attribute);
    put_number(Encoding::u8, a.type);
    std::uint8_t value[16];
    const std::uint8_t* end = put_value(value, static_cast<ValueType>(a.type), a.value);
    bytes_.insert(bytes_.end(), static_cast<const std::uint8_t*>(value), end);
  }
  put_length(at);
}

void EventCopy::put_event(const EventView& event) {
  const EventRow& row = row_of(event.kind);
  bytes_.push_back(static_cast<std::uint8_t>(event.kind));
  const std::size_t at = bytes_.size();
  for (std::uint8_t i = 0; i < row.fields; ++i) put_number(row.field[i].encoding, event.field[i]);
  for (std::size_t i = 0; i < event.values.size(); ++i) {
    if (event.kind == EventKind::metric) put_number(Encoding::u8, event.types[i]);
    put_number(event.kind == EventKind::metric ? Encoding::u64 : Encoding::u32, event.values[i]);
  }
  if (row.has_length) put_length(at);
}

void EventCopy::write(std::uint64_t time) {
  EventCursor cursor = file_.cursor();
  const std::size_t most = bytes_.size() + EventFile::time_bytes + EventFile::beyond_event;
  if (most + EventFile::header_bytes > chunk_bytes_) throw Error("an event of " + name_ + " is longer than a chunk");
  if (static_cast<std::size_t>(cursor.end - cursor.at) < most)
    cursor = file_.continue_at(cursor, time, most);
  else if (cursor.events == 0 || cursor.time != time)
    cursor.at = put_full(put_u8(cursor.at, timestamp), time);
  std::memcpy(cursor.at, bytes_.data(), bytes_.size());
  cursor.at += bytes_.size();
  cursor.time = time;
  ++cursor.events;
  file_.set_cursor(cursor);
}

}  // namespace tracer::otf2
