// SPDX-License-Identifier: BSD-3-Clause
// Reads an archive event by event, in order of time.
#include "formats/otf2/read/event_source.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "formats/otf2/read/archive_definitions.hpp"
#include "formats/otf2/read/event_translation.hpp"
#include "formats/otf2/read/shared_window.hpp"
#include "formats/otf2/read/unsupported.hpp"
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
  std::uint64_t unread() const override { return unsupported_.unknown_events(); }
  std::map<std::string, std::uint64_t> untranslated() const override { return unsupported_.known_events(); }
  std::map<std::string, std::uint64_t> unsupported() const override { return unsupported_.all(trace_); }
  /// In order of time, by the location's definition where times are equal.
  void read(EventVisitor& visitor) override { read(visitor, {}); }
  void read(EventVisitor& visitor, const Ahead& ahead) override {
    ahead_ = &ahead;
    std::vector<Stream> streams = all_streams();
    HeadHeap heads;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (!wanted_.empty() && !wanted_[i]) continue;
      open(streams, i);
      if (read_next(streams[i])) heads.add({streams[i].time(), i});
    }
    deliver_all(streams, heads, visitor);
  }
  void read_on(std::span<const ResumePlace> places, EventVisitor& visitor) override {
    ahead_ = nullptr;
    std::vector<Stream> streams = all_streams();
    HeadHeap heads;
    for (const ResumePlace& place : places) {
      const std::size_t i = place.location;
      if (i >= streams.size() || streams[i].reader) throw Error{"the index has a location that the archive has not"};
      if (!wanted_.empty() && !wanted_[i]) continue;
      open(streams, i);
      streams[i].reader->go_to(place.position);
      if (!leave_out(streams[i], place.skip)) throw Error{"the archive's events differ from its index"};
      heads.add({streams[i].time(), i});
    }
    deliver_all(streams, heads, visitor);
  }
  std::vector<ResumePlace> places() const override {
    std::vector<ResumePlace> places;
    for (std::size_t i = 0; i < reading_->size(); ++i) {
      const Stream& stream = (*reading_)[i];
      if (stream.reader && stream.has_more())
        places.push_back({static_cast<std::uint32_t>(i), stream.begin, stream.at});
    }
    return places;
  }
  void read_from(LocationRef location, const ReadPosition& position, const Visit& visit) override {
    plain_.resize(EventReader::most_window / bytes_for_each_ahead);
    Stream stream;
    stream.reader = take_reader(location);
    stream.reader->go_to(position);
    stream.location = location;
    stream.events.resize(plain_.size());
    while (read_ahead(stream) && visit(std::span{stream.events}.first(stream.count), stream.attributes)) {
    }
    keep_reader(location, std::move(*stream.reader));
  }
  void want(const std::vector<bool>& locations) override {
    wanted_.assign(trace_.definitions().locations.size(), false);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const std::uint32_t location = index_.locations[trace_.definitions().locations[i].ref];
      wanted_[i] = location >= locations.size() || locations[location];
    }
  }
  void want_times(std::uint64_t from, std::uint64_t to) override {
    from_ = from;
    to_ = to;
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

  /// One location's, with the window that few locations have. Those that were read last are kept: what they contain of
  /// their files is not looked up again.
  EventReader take_reader(LocationRef location) {
    const auto kept = readers_.find(location);
    if (kept == readers_.end()) return trace_.events(number_of(location), EventReader::most_window);
    EventReader reader = std::move(kept->second);
    readers_.erase(kept);
    return reader;
  }
  void keep_reader(LocationRef location, EventReader reader) {
    constexpr std::size_t most_kept = 64;
    if (readers_.size() >= most_kept) readers_.clear();
    readers_.insert_or_assign(location, std::move(reader));
  }

  /// None of them open.
  std::vector<Stream> all_streams() {
    const std::size_t count = trace_.definitions().locations.size();
    unsupported_ = {};
    plain_.resize(shared_window(count, EventReader::most_window) / bytes_for_each_ahead);
    return std::vector<Stream>(count);
  }
  void open(std::vector<Stream>& streams, std::size_t i) const {
    const std::uint64_t number = trace_.definitions().locations[i].ref;
    streams[i].reader.emplace(trace_.events(number));
    streams[i].location = index_.locations[number];
    streams[i].events.resize(plain_.size());
  }
  void deliver_all(std::vector<Stream>& streams, HeadHeap& heads, EventVisitor& visitor) {
    reading_ = &streams;
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
        more = stream.has_more() || read_next(stream);
      } while (more && stream.time() <= last);
      if (more)
        heads.change_first({stream.time(), i});
      else
        heads.remove_first();
    }
  }
  /// The next events are read, without the first `count`; false: there are no others.
  bool leave_out(Stream& stream, std::uint64_t count) {
    for (;; count -= stream.count) {
      if (!read_ahead(stream)) return false;
      if (count < stream.count) break;
    }
    for (; stream.at < count; ++stream.at) stream.attributes_at += stream.events[stream.at].attributes;
    return true;
  }

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
      stream.count = translation_.translate(view_, stream.events, stream.attributes);
      const std::uint64_t time = stream.events.front().time;  // also of what has no meaning here
      if (time >= from_ && time <= to_) unsupported_.note(view_, stream.count != 0);
    }
    return stream.count != 0;
  }

  bool read_next(Stream& stream) {
    if (!read_ahead(stream)) return false;
    if (ahead_ != nullptr && *ahead_)
      (*ahead_)(stream.location, std::span{stream.events}.first(stream.count), stream.begin);
    return true;
  }

  /// The first of those that are read, and those behind it up to time `last`.
  void deliver(Stream& stream, std::uint64_t last, EventVisitor& visitor) {
    const std::span<const Event> events{stream.events.data() + stream.at, stream.count - stream.at};
    std::size_t count = 0, attributes = 0;
    do attributes += events[count].attributes;
    while (++count < events.size() && events[count].time <= last);
    visitor.events(stream.location, events.first(count),
                   std::span{stream.attributes}.subspan(stream.attributes_at, attributes));
    stream.at += count;
    stream.attributes_at += attributes;
  }

  otf2::Trace trace_;
  std::vector<bool> wanted_;                         ///< by location as in trace_; empty: all
  std::uint64_t from_ = 0, to_ = ~std::uint64_t{0};  ///< of want_times()
  Indices index_;
  Definitions definitions_;
  EventTranslation translation_;
  std::uint64_t events_ = 0;
  Unsupported unsupported_;
  const Ahead* ahead_ = nullptr;                          ///< of read()
  const std::vector<Stream>* reading_ = nullptr;          ///< what read() is at
  std::unordered_map<LocationRef, EventReader> readers_;  ///< of read_from()
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
