// SPDX-License-Identifier: BSD-3-Clause
// Reads an archive event by event, in order of time.
#include "formats/otf2/event_source.hpp"

#include <algorithm>

#include "formats/otf2/archive_definitions.hpp"
#include "formats/otf2/event_translation.hpp"
#include "formats/otf2/shared_window.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

class ArchiveSource final : public EventSource {
 public:
  explicit ArchiveSource(const fs::path& path)
      : trace_{otf2::Trace::open(path)},
        index_{trace_.definitions()},
        definitions_{definitions_of(trace_, index_)},
        translation_{trace_.definitions(), index_, definitions_} {
    const TraceDefinitions& from = trace_.definitions();
    definitions_.clock.resolution = 1'000'000'000;
    definitions_.clock.offset = translation_.nanoseconds(from.clock.offset);
    definitions_.clock.length = translation_.nanoseconds(from.clock.length);
    for (const auto& location : from.locations) events_ += location.events;
    if (trace_.info().property("TRACER::PART") != nullptr) leave_out_processes_without_events();
  }
  const Definitions& definitions() const override { return definitions_; }
  std::uint64_t number_of_events() const override { return events_; }
  /// In order of time, by the location's definition where times are equal.
  void read(EventVisitor& visitor) override {
    const auto& known = trace_.definitions().locations;
    const std::size_t ahead = shared_window(known.size(), EventReader::most_window) / bytes_for_each_ahead;
    std::vector<Stream> streams(known.size());
    HeadHeap heads;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (!wanted_.empty() && !wanted_[i]) continue;
      streams[i].reader.emplace(trace_.events(known[i].ref));
      streams[i].location = index_.locations[known[i].ref];
      streams[i].plain.resize(ahead);
      if (streams[i].next()) heads.add({streams[i].time(), i});
    }
    while (!heads.empty()) {
      const std::size_t i = heads.first().second;
      const HeadHeap::Head other = heads.second();
      Stream& stream = streams[i];
      if (other.second < streams.size()) streams[other.second].expect();
      // As long as this location is the first: until the other's time, and with it where this one's number is smaller.
      const std::uint64_t last = i < other.second ? other.first : other.first - 1;
      bool more = true;
      do {
        if (stream.is_plain())
          deliver_plain(stream, last, visitor);
        else
          deliver(stream.location, stream.view, visitor);
        more = stream.next();
      } while (more && stream.time() <= last);
      if (more)
        heads.change_first({stream.time(), i});
      else
        heads.remove_first();
    }
  }
  void want(const std::vector<bool>& locations) override {
    wanted_.assign(trace_.definitions().locations.size(), false);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const std::uint32_t location = index_.locations[trace_.definitions().locations[i].ref];
      wanted_[i] = location >= locations.size() || locations[location];
    }
  }

 private:
  /// Of the window of a location's file one event is kept ahead for so many bytes.
  static constexpr std::size_t bytes_for_each_ahead = 512;

  /// A location's events; plain ones are read some ahead.
  struct Stream {
    std::optional<EventReader> reader;
    LocationRef location = 0;
    std::size_t at = 0, count = 0, attributes_at = 0;
    std::vector<PlainEvent> plain;
    std::vector<AttributeView> attributes;  ///< of those
    EventView view;                         ///< where none of them is left

    bool is_plain() const noexcept { return at < count; }
    std::uint64_t time() const noexcept { return is_plain() ? plain[at].time : view.time; }
    /// Steps to the next event; false: there is none.
    bool next() {
      if (is_plain()) {
        attributes_at += plain[at].attributes;
        if (++at < count) return true;
      }
      at = attributes_at = 0;
      attributes.clear();
      count = reader->next_plain(plain, attributes);
      return count != 0 || reader->next(view);
    }
    /// It comes next, and with thousands of them is in no cache.
    void expect() const noexcept {
      const auto* line = reinterpret_cast<const char*>(this);
      for (std::size_t i = 0; i < sizeof *this; i += 64) __builtin_prefetch(line + i);
    }
  };

  /// Of an archive that is a part of another: they, and their devices, are not of it.
  void leave_out_processes_without_events() {
    std::vector<bool> has_events(definitions_.groups_of_locations.size(), false);
    const auto process_of = [this](std::uint32_t group) {
      const LocationGroup& of = definitions_.groups_of_locations[group];
      return of.kind != LocationGroupKind::process && of.creating_group < definitions_.groups_of_locations.size()
                 ? of.creating_group
                 : group;
    };
    for (const auto& location : trace_.definitions().locations) {
      const Location& known = definitions_.locations[index_.locations[location.ref]];
      if (location.events != 0 && known.group < has_events.size()) has_events[process_of(known.group)] = true;
    }
    for (Location& location : definitions_.locations)
      if (location.group < has_events.size() && !has_events[process_of(location.group)]) location.used = false;
  }

  /// Of the plain events that are read the first, and those behind it up to time `last`; the stream is at the last one
  /// of these then.
  void deliver_plain(Stream& stream, std::uint64_t last, EventVisitor& visitor) {
    for (;;) {
      const PlainEvent& plain = stream.plain[stream.at];
      Event event{.time = translation_.nanoseconds(plain.time),
                  .type = EventType::enter,
                  .attributes = plain.attributes,
                  .sub = 0,
                  .ref = plain.field[0],
                  .a = plain.field[1],
                  .b = plain.field[2]};
      switch (plain.kind) {
        case EventKind::leave:
          event.type = EventType::leave;
          [[fallthrough]];
        case EventKind::enter:
          event.ref = index_.regions[plain.field[0]];
          event.a = event.b = 0;
          break;
        case EventKind::thread_acquire_lock:
        case EventKind::thread_release_lock:
          event.type = plain.kind == EventKind::thread_acquire_lock ? EventType::acquire_lock : EventType::release_lock;
          event.ref = 0;
          break;
        default:
          event.type = plain.kind == EventKind::thread_task_create   ? EventType::task_create
                       : plain.kind == EventKind::thread_task_switch ? EventType::task_switch
                                                                     : EventType::task_complete;
          event.ref = index_.comms[plain.field[0]];
          break;
      }
      if (plain.attributes == 0) {
        visitor.event(stream.location, event, {});
      } else {
        attributes_.clear();
        for (std::size_t i = 0; i < plain.attributes; ++i) {
          const AttributeView& attribute = stream.attributes[stream.attributes_at + i];
          attributes_.push_back({index_.attributes[attribute.attribute], attribute.value});
        }
        visitor.event(stream.location, event, attributes_);
      }
      if (stream.at + 1 == stream.count || stream.plain[stream.at + 1].time > last) return;
      stream.attributes_at += plain.attributes;
      ++stream.at;
    }
  }

  void deliver(LocationRef location, const EventView& view, EventVisitor& visitor) {
    Event event;
    if (!translation_.translate(view, event, attributes_)) return;
    visitor.event(location, event, attributes_);
  }

  otf2::Trace trace_;
  std::vector<bool> wanted_;  ///< by location as in trace_; empty: all
  Indices index_;
  Definitions definitions_;
  EventTranslation translation_;
  std::uint64_t events_ = 0;
  std::vector<EventAttribute> attributes_;
};

}  // namespace

std::unique_ptr<EventSource> open_archive(const fs::path& path) {
  return std::make_unique<ArchiveSource>(path);
}

}  // namespace tracer::otf2
