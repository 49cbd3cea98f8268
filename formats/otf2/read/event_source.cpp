// SPDX-License-Identifier: BSD-3-Clause
// Reads an archive event by event, in order of time.
#include "formats/otf2/read/event_source.hpp"

#include <algorithm>

#include "formats/otf2/read/archive_definitions.hpp"
#include "formats/otf2/read/event_translation.hpp"
#include "formats/otf2/read/shared_window.hpp"
#include "tracer/error.hpp"
#include "tracer/property_names.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

class ArchiveSource final : public PositionedSource {
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
    if (trace_.info().property(properties::part) != nullptr) leave_out_processes_without_events();
  }
  const Definitions& definitions() const override { return definitions_; }
  std::uint64_t number_of_events() const override { return events_; }
  const ArchiveInfo& info() const override { return trace_.info(); }
  std::uint64_t number_of(LocationRef location) const override { return trace_.definitions().locations[location].ref; }
  const ReadPosition* position() const override { return position_; }
  std::uint64_t unread() const override { return unread_; }
  /// In order of time, by the location's definition where times are equal.
  void read(EventVisitor& visitor) override {
    const auto& known = trace_.definitions().locations;
    unread_ = 0;
    plain_.resize(shared_window(known.size(), EventReader::most_window) / bytes_for_each_ahead);
    std::vector<Stream> streams(known.size());
    HeadHeap heads;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (!wanted_.empty() && !wanted_[i]) continue;
      streams[i].reader.emplace(trace_.events(known[i].ref));
      streams[i].location = index_.locations[known[i].ref];
      streams[i].events.resize(plain_.size());
      if (read_ahead(streams[i])) heads.add({streams[i].time(), i});
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
        deliver(stream, last, visitor);
        more = stream.has_more() || read_ahead(stream);
      } while (more && stream.time() <= last);
      if (more)
        heads.change_first({stream.time(), i});
      else
        heads.remove_first();
    }
  }
  void read_from(LocationRef location, const ReadPosition& position, const Visit& visit) override {
    plain_.resize(EventReader::most_window / bytes_for_each_ahead);
    Stream stream;
    stream.reader.emplace(trace_.events(number_of(location)));
    stream.reader->go_to(position);
    stream.location = location;
    stream.events.resize(plain_.size());
    while (read_ahead(stream) && visit(std::span{stream.events}.first(stream.count), stream.attributes)) {
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

  /// A location's events, of which the next ones are read already.
  struct Stream {
    std::optional<EventReader> reader;
    LocationRef location = 0;
    std::size_t at = 0, count = 0, attributes_at = 0;
    std::vector<Event> events;
    std::vector<EventAttribute> attributes;  ///< of those
    ReadPosition begin;                      ///< of the first of those

    bool has_more() const noexcept { return at < count; }
    std::uint64_t time() const noexcept { return events[at].time; }
    /// It comes next, and with thousands of them neither it nor its event is in a cache.
    void expect() const noexcept {
      const auto* line = reinterpret_cast<const char*>(this);
      for (std::size_t i = 0; i < sizeof *this; i += 64) __builtin_prefetch(line + i);
      __builtin_prefetch(events.data() + at);
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

  /// The next events, of which there is at least one; false: there is none.
  bool read_ahead(Stream& stream) {
    stream.at = stream.attributes_at = 0;
    stream.attributes.clear();
    listed_.clear();
    stream.begin = stream.reader->position();
    stream.count = stream.reader->next_plain(plain_, listed_);
    for (std::size_t i = 0; i < stream.count; ++i) translation_.translate(plain_[i], stream.events[i]);
    for (const AttributeView& attribute : listed_)
      stream.attributes.push_back({index_.attributes[attribute.attribute], attribute.value});
    while (stream.count == 0 && stream.reader->next(view_)) {
      trace_.complete(view_);
      stream.count = translation_.translate(view_, stream.events.front(), stream.attributes) ? 1 : 0;
      if (row_of(view_.kind).name.empty()) ++unread_;
    }
    return stream.count != 0;
  }

  /// The first of those that are read, and those behind it up to time `last`.
  void deliver(Stream& stream, std::uint64_t last, EventVisitor& visitor) {
    const std::span<const Event> events{stream.events.data() + stream.at, stream.count - stream.at};
    std::size_t count = 0, attributes = 0;
    do attributes += events[count].attributes;
    while (++count < events.size() && events[count].time <= last);
    position_ = stream.at == 0 ? &stream.begin : nullptr;
    visitor.events(stream.location, events.first(count),
                   std::span{stream.attributes}.subspan(stream.attributes_at, attributes));
    stream.at += count;
    stream.attributes_at += attributes;
  }

  otf2::Trace trace_;
  std::vector<bool> wanted_;  ///< by location as in trace_; empty: all
  Indices index_;
  Definitions definitions_;
  EventTranslation translation_;
  std::uint64_t events_ = 0, unread_ = 0;
  const ReadPosition* position_ = nullptr;
  // What was read last, of any location:
  std::vector<PlainEvent> plain_;
  std::vector<AttributeView> listed_;
  EventView view_;
};

}  // namespace

std::unique_ptr<PositionedSource> open_archive(const fs::path& path) {
  return std::make_unique<ArchiveSource>(path);
}

}  // namespace tracer::otf2
