// SPDX-License-Identifier: BSD-3-Clause
// See location_writer.hpp.
#include "formats/otf2/write/location_writer.hpp"

#include <string>
#include <utility>

#include "formats/otf2/write/encode.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t timestamp = 5;
constexpr EventAttribute none{};

std::uint8_t* put_time(EventCursor& cursor, Nanoseconds time) noexcept {
  if (time != cursor.time || time == 0) {
    cursor.at = put_full(put_u8(cursor.at, timestamp), time);
    cursor.time = time;
  }
  return cursor.at;
}

}  // namespace

Otf2LocationWriter::Otf2LocationWriter(std::shared_ptr<Archive> archive, LocationRef location)
    : archive_(std::move(archive)), location_(location), file_(archive_->open_events(location)) {}

Otf2LocationWriter::~Otf2LocationWriter() {
  // Not closed: the conversion failed elsewhere, so this archive is not to be finished.
  if (file_) archive_->give_up();
}

void Otf2LocationWriter::write(std::span<const Event> events, std::span<const EventAttribute> attributes) {
  archive_->require_usable();
  try {
    encode(events, attributes);
  } catch (const Error& error) {
    archive_->fail(location_, error.what());
  }
}

void Otf2LocationWriter::encode(std::span<const Event> events, std::span<const EventAttribute> attributes) {
  EventCursor cursor = file_->cursor();
  for (const Event& event : events) {
    if (event.time < cursor.time) [[unlikely]]
      refuse(event, "is older than the one before it");
    const bool is_region = event.type == EventType::enter || event.type == EventType::leave;
    if (is_region && event.attributes == 0) [[likely]] {
      constexpr std::size_t most = 6;
      if (most + EventFile::beyond_event > static_cast<std::size_t>(cursor.end - cursor.at)) [[unlikely]]
        cursor = room(cursor, event, most);
      cursor.at = put_region(put_time(cursor, event.time), event.type, event.ref);
      ++cursor.events;
      continue;
    }
    if (event.attributes > attributes.size()) refuse(event, "has more attributes than were given");
    const EventAttribute* payload = &none;
    std::size_t listed = event.attributes;
    if (listed != 0 && attributes.front().is_payload()) {
      payload = &attributes.front();
      attributes = attributes.subspan(1);
      --listed;
    }
    const std::size_t most = most_bytes(event.type) + (listed == 0 ? 0 : most_list_bytes(listed));
    if (most + EventFile::beyond_event > static_cast<std::size_t>(cursor.end - cursor.at)) [[unlikely]]
      cursor = room(cursor, event, most);
    std::uint8_t* to = put_time(cursor, event.time);
    if (listed != 0) {
      to = put_list(to, attributes.first(listed), archive_->attribute_types(), archive_->metric_refs());
      attributes = attributes.subspan(listed);
    }
    cursor.at =
        put_event(to, event, event.type == EventType::metric_uint ? archive_->metric_ref(event.ref) : 0, *payload);
    ++cursor.events;
  }
  file_->set_cursor(cursor);
}

EventCursor Otf2LocationWriter::room(EventCursor cursor, const Event& event, std::size_t most) {
  cursor = file_->continue_at(cursor, event.time, most + EventFile::beyond_event);
  if (most + EventFile::beyond_event > static_cast<std::size_t>(cursor.end - cursor.at))
    refuse(event, "is larger than a chunk");
  return cursor;
}

void Otf2LocationWriter::close() {
  if (!file_) return;
  const std::unique_ptr<EventFile> file = std::move(file_);
  archive_->close_events(location_, *file);
}

void Otf2LocationWriter::refuse(const Event& event, const char* why) {
  throw Error("the event of time " + std::to_string(event.time) + " " + why);
}

}  // namespace tracer::otf2
