// SPDX-License-Identifier: BSD-3-Clause
// Translates what formats/otf2 reads into the project's own definitions and events.
#include "formats/otf2/event_source.hpp"

#include <algorithm>
#include <unordered_map>

#include "formats/otf2/archive_definitions.hpp"
#include "formats/otf2/shared_window.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace fs = std::filesystem;
namespace {

class ArchiveSource final : public EventSource {
 public:
  explicit ArchiveSource(const fs::path& path) : trace_{otf2::Trace::open(path)}, index_{trace_.definitions()} {
    const TraceDefinitions& from = trace_.definitions();
    resolution_ = from.clock.resolution == 0 ? 1 : from.clock.resolution;
    definitions_ = definitions_of(trace_, index_);
    definitions_.clock.resolution = 1'000'000'000;
    definitions_.clock.offset = nanoseconds(from.clock.offset);
    definitions_.clock.length = nanoseconds(from.clock.length);
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

  std::uint64_t nanoseconds(std::uint64_t ticks) const {
    if (resolution_ == 1'000'000'000) return ticks;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{ticks} * 1'000'000'000 / resolution_);
  }

  /// Of the plain events that are read the first, and those behind it up to time `last`; the stream is at the last one
  /// of these then.
  void deliver_plain(Stream& stream, std::uint64_t last, EventVisitor& visitor) {
    for (;;) {
      const PlainEvent& plain = stream.plain[stream.at];
      Event event{.time = nanoseconds(plain.time),
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
    Event event{
        .time = nanoseconds(view.time), .type = EventType::enter, .attributes = 0, .sub = 0, .ref = 0, .a = 0, .b = 0};
    attributes_.clear();
    if (!translate(view, event) && !translate_mpi(view, event) && !translate_one_sided(view, event) &&
        !translate_io(view, event))
      return;
    for (const auto& attribute : view.attributes)
      attributes_.push_back({index_.attributes[attribute.attribute], attribute.value});
    event.attributes = static_cast<std::uint8_t>(attributes_.size());
    visitor.event(location, event, attributes_);
  }

  static bool fill(Event& event, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
    event.type = type;
    event.ref = ref;
    event.a = a;
    event.b = b;
    return true;
  }

  /// Of communication; what an Event has no room for goes before the attributes.
  bool translate_mpi(const EventView& view, Event& event) {
    const auto& field = view.field;
    const auto message = [&](EventType type) {
      if (has_payload(type)) attributes_.push_back(EventAttribute::payload(0, field[4]));
      return fill(event, type, index_.comms[field[1]], field[3], (field[0] & 0xffffffffu) | field[2] << 32);
    };
    const auto collective = [&](EventType type, std::uint64_t request) {
      attributes_.push_back(EventAttribute::payload(static_cast<std::uint32_t>(field[2]), request));
      event.sub = static_cast<std::uint16_t>(field[0]);
      return fill(event, type, index_.comms[field[1]], field[3], field[4]);
    };
    switch (view.kind) {
      case EventKind::mpi_send:
        return message(EventType::mpi_send);
      case EventKind::mpi_isend:
        return message(EventType::mpi_isend);
      case EventKind::mpi_recv:
        return message(EventType::mpi_recv);
      case EventKind::mpi_irecv:
        return message(EventType::mpi_irecv);
      case EventKind::mpi_isend_complete:
        return fill(event, EventType::mpi_isend_complete, 0, field[0]);
      case EventKind::mpi_irecv_request:
        return fill(event, EventType::mpi_irecv_request, 0, field[0]);
      case EventKind::mpi_request_test:
        return fill(event, EventType::mpi_request_test, 0, field[0]);
      case EventKind::mpi_request_cancelled:
        return fill(event, EventType::mpi_request_cancelled, 0, field[0]);
      case EventKind::mpi_collective_begin:
        return fill(event, EventType::mpi_collective_begin);
      case EventKind::mpi_collective_end:
        return collective(EventType::mpi_collective_end, 0);
      case EventKind::non_blocking_collective_request:
        return fill(event, EventType::mpi_collective_request, 0, field[0]);
      case EventKind::non_blocking_collective_complete:
        return collective(EventType::mpi_collective_complete, field[5]);
      case EventKind::comm_create:
        return fill(event, EventType::comm_create, index_.comms[field[0]]);
      case EventKind::comm_destroy:
        return fill(event, EventType::comm_destroy, index_.comms[field[0]]);
      default:
        return false;
    }
  }

  /// A window of MPI's, not of a device.
  bool is_of_mpi(std::uint64_t window) const {
    const std::uint32_t index = index_.windows[window];
    if (index >= definitions_.windows.size()) return false;
    const CommRef comm = definitions_.windows[index].comm;
    const std::uint32_t group = comm < definitions_.comms.size() ? definitions_.comms[comm].group : undefined_ref;
    return group < definitions_.groups.size() && definitions_.groups[group].paradigm == Paradigm::mpi;
  }

  /// One-sided communication of MPI.
  bool translate_one_sided(const EventView& view, Event& event) {
    const auto& field = view.field;
    const auto at = [&](std::uint64_t window, EventType type, std::uint64_t ref = 0, std::uint64_t a = 0,
                        std::uint64_t b = 0) {
      event.sub = static_cast<std::uint16_t>(index_.windows[window]);
      return fill(event, type, static_cast<std::uint32_t>(ref), a, b);
    };
    switch (view.kind) {
      case EventKind::rma_put:
        return at(field[0], EventType::mpi_rma_put, field[1], field[2], field[3]);
      case EventKind::rma_get:
        return at(field[0], EventType::mpi_rma_get, field[1], field[2], field[3]);
      case EventKind::rma_atomic:
        attributes_.push_back(EventAttribute::payload(static_cast<std::uint32_t>(field[2]), field[4]));
        return at(field[0], EventType::mpi_rma_atomic, field[1], field[3], field[5]);
      case EventKind::rma_op_complete_blocking:
      case EventKind::rma_op_complete_non_blocking:
        return at(field[0], EventType::mpi_rma_complete_here, 0, 0, field[1]);
      case EventKind::rma_op_complete_remote:
        return at(field[0], EventType::mpi_rma_complete_there, 0, 0, field[1]);
      case EventKind::rma_op_test:
        return at(field[0], EventType::mpi_rma_test, 0, 0, field[1]);
      case EventKind::rma_win_create:
        return at(field[0], EventType::mpi_window_create);
      case EventKind::rma_win_destroy:
        return at(field[0], EventType::mpi_window_destroy);
      case EventKind::rma_collective_begin:
        return fill(event, EventType::mpi_rma_collective_begin);
      case EventKind::rma_collective_end:
        return at(field[2], EventType::mpi_rma_collective_end, field[0]);
      case EventKind::rma_group_sync:
        return at(field[1], EventType::mpi_rma_group_sync, index_.groups[field[2]]);
      case EventKind::rma_request_lock:
        return at(field[0], EventType::mpi_rma_request_lock, field[1], field[3]);
      case EventKind::rma_acquire_lock:
        return at(field[0], EventType::mpi_rma_acquire_lock, field[1], field[3]);
      case EventKind::rma_release_lock:
        return at(field[0], EventType::mpi_rma_release_lock, field[1]);
      case EventKind::rma_sync:
        return at(field[0], EventType::mpi_rma_sync, field[1]);
      default:
        return false;
    }
  }

  /// Input and output, by MPI or another paradigm.
  bool translate_io(const EventView& view, Event& event) const {
    const auto& field = view.field;
    const auto at = [&](EventType type, std::uint64_t sub = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
      event.sub = static_cast<std::uint16_t>(sub);
      return fill(event, type, index_.io_handles[field[0]], a, b);
    };
    switch (view.kind) {
      case EventKind::io_create_handle:
        return at(EventType::io_create_handle, field[1], field[2] | field[3] << 32);
      case EventKind::io_destroy_handle:
        return at(EventType::io_destroy_handle);
      case EventKind::io_delete_file:
        return fill(event, EventType::io_delete_file, index_.io_files[field[1]]);
      case EventKind::io_seek:
        return at(EventType::io_seek, field[2], field[1], field[3]);
      case EventKind::io_operation_begin:
        return at(EventType::io_operation_begin, field[1] | field[2] << 8, field[3], field[4]);
      case EventKind::io_operation_issued:
        return at(EventType::io_operation_issued, 0, 0, field[1]);
      case EventKind::io_operation_test:
        return at(EventType::io_operation_test, 0, 0, field[1]);
      case EventKind::io_operation_complete:
        return at(EventType::io_operation_complete, 0, field[1], field[2]);
      case EventKind::io_operation_cancelled:
        return at(EventType::io_operation_cancelled, 0, 0, field[1]);
      default:
        return false;
    }
  }

  /// False: not one of these.
  bool translate(const EventView& view, Event& event) const {
    const auto& field = view.field;
    const auto set = [&](EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
      return fill(event, type, ref, a, b);
    };
    switch (view.kind) {
      case EventKind::enter:
        return set(EventType::enter, index_.regions[field[0]]);
      case EventKind::leave:
        return set(EventType::leave, index_.regions[field[0]]);
      case EventKind::calling_context_enter:
        return set(EventType::enter, region_of_context(field[0]));
      case EventKind::calling_context_leave:
        return set(EventType::leave, region_of_context(field[0]));
      case EventKind::program_begin:
        return set(EventType::program_begin, 0, index_.strings[field[0]]);
      case EventKind::program_end:
        return set(EventType::program_end, 0, field[0], 1);
      case EventKind::thread_fork:
        return set(EventType::thread_fork, 0, field[1]);
      case EventKind::thread_join:
        return set(EventType::thread_join);
      case EventKind::thread_team_begin:
        return set(EventType::team_begin, index_.comms[field[0]]);
      case EventKind::thread_team_end:
        return set(EventType::team_end, index_.comms[field[0]]);
      case EventKind::thread_task_create:
        return set(EventType::task_create, index_.comms[field[0]], field[1], field[2]);
      case EventKind::thread_task_switch:
        return set(EventType::task_switch, index_.comms[field[0]], field[1], field[2]);
      case EventKind::thread_task_complete:
        return set(EventType::task_complete, index_.comms[field[0]], field[1], field[2]);
      case EventKind::thread_acquire_lock:
        return set(EventType::acquire_lock, 0, field[1], field[2]);
      case EventKind::thread_release_lock:
        return set(EventType::release_lock, 0, field[1], field[2]);
      case EventKind::measurement_on_off:
        return set(EventType::measurement_on_off, 0, field[0] == 1 ? 1 : 0);
      case EventKind::buffer_flush:
        return set(EventType::buffer_flush, 0, nanoseconds(field[0]));
      case EventKind::parameter_int:
        return set(EventType::parameter_int, index_.parameters[field[0]], field[1]);
      case EventKind::parameter_unsigned_int:
        return set(EventType::parameter_uint, index_.parameters[field[0]], field[1]);
      case EventKind::parameter_string:
        return set(EventType::parameter_string, index_.parameters[field[0]], index_.strings[field[1]]);
      case EventKind::metric:
        if (view.values.empty()) return false;
        event.sub = view.types.front();
        return set(EventType::metric_uint, index_.metrics[field[0]], view.values.front());
      case EventKind::rma_get:
      case EventKind::rma_put:
        if (is_of_mpi(field[0])) return false;
        event.sub = static_cast<std::uint16_t>(index_.windows[field[0]]);
        return set(view.kind == EventKind::rma_get ? EventType::rma_get : EventType::rma_put,
                   static_cast<std::uint32_t>(field[1]), field[2], field[3]);
      case EventKind::rma_op_complete_blocking:
      case EventKind::rma_op_complete_non_blocking:
        if (is_of_mpi(field[0])) return false;
        event.sub = static_cast<std::uint16_t>(index_.windows[field[0]]);
        return set(EventType::rma_op_complete_blocking, 0, 0, field[1]);
      default:
        return false;
    }
  }

  std::uint32_t region_of_context(std::uint64_t context) const {
    const auto* found = trace_.definitions().calling_contexts.find(context);
    return found == nullptr ? undefined_ref : index_.regions[found->region];
  }

  otf2::Trace trace_;
  std::vector<bool> wanted_;  ///< by location as in trace_; empty: all
  Indices index_;
  Definitions definitions_;
  std::uint64_t resolution_ = 1, events_ = 0;
  std::vector<EventAttribute> attributes_;
};

}  // namespace

std::unique_ptr<EventSource> open_archive(const fs::path& path) {
  return std::make_unique<ArchiveSource>(path);
}

}  // namespace tracer::otf2
