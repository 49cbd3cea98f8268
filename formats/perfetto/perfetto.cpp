// SPDX-License-Identifier: BSD-3-Clause
// Field numbers are those of perfetto's protos/perfetto/trace (trace_packet.proto, track_event.proto, ...).
#include "formats/perfetto/perfetto.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "formats/perfetto/protobuf.hpp"

namespace tracer {
namespace {

using Proto = perfetto::Message;

namespace trace {
constexpr std::uint32_t packet = 1;
}
namespace packet {
constexpr std::uint32_t timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                        track_descriptor = 60, perf_sample = 66;
constexpr std::uint64_t state_cleared = 1, needs_state = 2;
}  // namespace packet
namespace track {
constexpr std::uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent = 5, counter = 8;
constexpr std::uint32_t process_pid = 1, process_name = 6, process_labels = 8, thread_pid = 1, thread_tid = 2,
                        thread_name = 5, counter_unit_name = 6;
}  // namespace track
namespace event {
constexpr std::uint32_t category_iids = 3, annotation = 4, type = 9, name_iid = 10, track_uuid = 11, name = 23,
                        counter_value = 30, double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
constexpr std::uint64_t slice_begin = 1, slice_end = 2, instant = 3, counter = 4;
constexpr std::uint32_t annotation_uint = 3, annotation_name = 10;
}  // namespace event
namespace interned {
constexpr std::uint32_t categories = 1, names = 2, function_names = 5, frames = 6, callstacks = 7, build_ids = 16,
                        mapping_paths = 17, source_paths = 18, mappings = 19, iid = 1, name = 2;
constexpr std::uint32_t mapping_build_id = 2, mapping_end = 5, mapping_path = 7, frame_function = 2, frame_mapping = 3,
                        frame_pc = 4, frame_source = 5, stack_frame = 2;
}  // namespace interned
namespace perf {
constexpr std::uint32_t cpu = 1, pid = 2, tid = 3, callstack = 4, mode = 5;
constexpr std::uint64_t user = 2;
}  // namespace perf

constexpr std::uint64_t sequence = 1, first_counter_track = std::uint64_t{1} << 40,
                        phase_tracks = std::uint64_t{1} << 41, sampled_tracks = std::uint64_t{1} << 42;

class Writer final : public TimelineVisitor {
 public:
  Writer(const Definitions& definitions, std::ostream& out)
      : definitions_{definitions}, numbers_{timeline_numbers(definitions)}, out_{out} {
    intern_names();
    for (std::uint32_t group = 0; group < definitions.groups_of_locations.size(); ++group) describe_process(group);
    for (std::uint32_t location = 0; location < definitions.locations.size(); ++location) describe_thread(location);
  }

  void open(const Slice& slice) override {
    Proto event;
    event.varint(event::category_iids, categories_[std::min<std::size_t>(slice.name, categories_.size() - 1)]);
    if (definitions_.locations[slice.location].kind != LocationKind::cpu_thread) event.varint(event::category_iids, 1);
    if (slice.bytes != 0) annotate(event, "bytes", slice.bytes);
    if (slice.task != 0) annotate(event, "task", slice.task);
    event.varint(event::type, event::slice_begin);
    event.varint(event::name_iid, slice.name + 1);
    event.varint(event::track_uuid, track_of(slice.location));
    if (slice.flow_out != 0) event.fixed64(event::flow_ids, slice.flow_out);
    if (slice.flow_in != 0) event.fixed64(event::terminating_flow_ids, slice.flow_in);
    write_event(slice.begin, event);
  }

  void close(const Slice& slice) override {
    Proto event;
    event.varint(event::type, event::slice_end);
    event.varint(event::track_uuid, track_of(slice.location));
    write_event(slice.end, event);
  }

  /// An instant of its own: a call may have many messages.
  void message_end(const MessageEnd& end) override {
    Proto event;
    annotate(event, "bytes", end.bytes);
    annotate(event, "tag", end.tag);
    event.varint(event::type, event::instant);
    event.text(event::name, (end.is_send ? "send to rank " : "receive from rank ") + std::to_string(end.rank));
    event.varint(event::track_uuid, track_of(end.location));
    event.fixed64(end.is_send ? event::flow_ids : event::terminating_flow_ids, end.flow);
    write_event(end.time, event);
  }

  void counter(const Counter& counter) override {
    Proto event;
    event.varint(event::type, event::counter);
    event.varint(event::track_uuid, describe_counter(counter));
    if (is_signed_whole(counter))
      event.varint(event::counter_value, counter.value);
    else
      event.fixed64(event::double_counter_value, std::bit_cast<std::uint64_t>(number_of(counter)));
    write_event(counter.time, event);
  }

  /// Behind what came since its begin: readers sort by time.
  void band(const Band& band) override {
    const std::uint64_t track = describe_lane(band);
    Proto begin, end;
    begin.varint(event::category_iids, categories_[std::min<std::size_t>(band.region, categories_.size() - 1)]);
    begin.varint(event::type, event::slice_begin);
    begin.varint(event::name_iid, band.region + 1);
    begin.varint(event::track_uuid, track);
    write_event(band.begin, begin);
    end.varint(event::type, event::slice_end);
    end.varint(event::track_uuid, track);
    write_event(band.end, end);
  }

  /// Each is a frame of its own, of a mapping that stands for the whole program.
  void sampled_path(const SampledPath& path) override {
    Proto data;
    if (parents_.empty()) {
      parents_.push_back(0);
      add_interned(data, interned::build_ids, 1, "");
      add_interned(data, interned::mapping_paths, 1, "program");
      Proto mapping;
      mapping.varint(interned::iid, 1);
      mapping.varint(interned::mapping_build_id, 1);
      mapping.varint(interned::mapping_end, ~std::uint32_t{0});
      mapping.varint(interned::mapping_path, 1);
      data.message(interned::mappings, mapping);
    }
    const std::uint64_t function = intern(functions_, path.name, interned::function_names, data);
    Proto frame;
    frame.varint(interned::iid, path.path);
    frame.varint(interned::frame_function, function);
    frame.varint(interned::frame_mapping, 1);
    frame.varint(interned::frame_pc, function);
    if (!path.file.empty())
      frame.varint(interned::frame_source, intern(files_, path.file, interned::source_paths, data));
    data.message(interned::frames, frame);
    parents_.resize(std::max<std::size_t>(parents_.size(), path.path + std::size_t{1}));
    parents_[path.path] = path.parent;
    write_interned(data);
  }

  void sample(const TimelineSample& sample) override {
    if (stacks_.insert(sample.path).second) describe_stack(sample.path);
    const std::uint32_t group = definitions_.locations[sample.location].group;
    Proto perf;
    if (sample.processor != undefined_ref) perf.varint(perf::cpu, sample.processor);
    perf.varint(perf::pid, group < numbers_.process.size() ? numbers_.process[group] : 0);
    perf.varint(perf::tid, numbers_.thread[sample.location]);
    perf.varint(perf::callstack, sample.path);
    perf.varint(perf::mode, perf::user);
    Proto message;
    message.varint(packet::timestamp, sample.time);
    message.message(packet::perf_sample, perf);
    message.varint(packet::sequence_flags, packet::needs_state);
    write(message);
    for (std::size_t c = 0; c < sample.counted.size(); ++c)
      if (sample.counted[c] != TimelineSample::not_counted)
        write_counted(sample, static_cast<std::uint32_t>(c), sample.counted[c]);
  }

  void sampled_counter(const SampledCounter& counter) override { sampled_.emplace_back(counter); }

  void finish() override { out_.flush(); }

 private:
  /// A track below the thread's: by how much the counter went up since the sample before.
  void write_counted(const TimelineSample& sample, std::uint32_t counter, std::uint64_t value) {
    if (counter >= sampled_.size()) return;
    const std::uint64_t track = sampled_tracks + sample.location * std::uint64_t{sampled_.size()} + counter;
    if (sampled_described_.insert(track).second) {
      Proto unit, descriptor;
      unit.text(track::counter_unit_name, sampled_[counter].unit);
      descriptor.varint(track::uuid, track);
      descriptor.varint(track::parent, track_of(sample.location));
      descriptor.text(track::name, sampled_[counter].name);
      descriptor.message(track::counter, unit);
      write_track(descriptor);
    }
    Proto event;
    event.varint(event::type, event::counter);
    event.varint(event::track_uuid, track);
    event.varint(event::counter_value, value);
    write_event(sample.time, event);
  }

  static std::uint64_t track_of(LocationRef location) { return (std::uint64_t{1} << 32) + location; }
  static std::uint64_t process_of(std::uint32_t group) { return group + 1; }

  static void annotate(Proto& event, const char* name, std::uint64_t value) {
    Proto annotation;
    annotation.varint(event::annotation_uint, value);
    annotation.text(event::annotation_name, name);
    event.message(event::annotation, annotation);
  }

  void write(Proto& message) {
    message.varint(packet::sequence_id, sequence);
    Proto whole;
    whole.message(trace::packet, message);
    out_ << whole.bytes();
  }

  void write_event(std::uint64_t time, const Proto& event) {
    Proto message;
    message.varint(packet::timestamp, time);
    message.message(packet::track_event, event);
    message.varint(packet::sequence_flags, packet::needs_state);
    write(message);
  }

  static void add_interned(Proto& data, std::uint32_t field, std::uint64_t iid, std::string_view name) {
    Proto entry;
    entry.varint(interned::iid, iid);
    entry.text(interned::name, name);
    data.message(field, entry);
  }

  /// The text's number, defined in `data` when it is new.
  static std::uint64_t intern(std::map<std::string, std::uint64_t, std::less<>>& known, std::string_view text,
                              std::uint32_t field, Proto& data) {
    const auto [found, is_new] = known.try_emplace(std::string{text}, known.size() + 1);
    if (is_new) add_interned(data, field, found->second, text);
    return found->second;
  }

  void write_interned(const Proto& data) {
    Proto message;
    message.message(packet::interned_data, data);
    message.varint(packet::sequence_flags, packet::needs_state);
    write(message);
  }

  void describe_stack(std::uint32_t path) {
    std::vector<std::uint64_t> frames;
    for (std::uint32_t at = path; at != 0; at = parents_[at]) frames.push_back(at);
    Proto stack, data;
    stack.varint(interned::iid, path);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) stack.varint(interned::stack_frame, *frame);
    data.message(interned::callstacks, stack);
    write_interned(data);
  }

  void intern_names() {
    Proto data;
    const auto add = [&](std::uint32_t field, std::uint64_t iid, std::string_view name) {
      add_interned(data, field, iid, name);
    };
    add(interned::categories, 1, "device");
    std::map<std::string, std::uint64_t> known;
    std::uint64_t iid = 0;
    for (const std::string& name : slice_names(definitions_)) {
      const auto [found, is_new] =
          known.try_emplace(category_of(definitions_, static_cast<std::uint32_t>(iid)), known.size() + 2);
      if (is_new) add(interned::categories, found->second, found->first);
      categories_.push_back(found->second);
      add(interned::names, ++iid, name);
    }
    Proto message;
    message.message(packet::interned_data, data);
    message.varint(packet::sequence_flags, packet::state_cleared | packet::needs_state);
    write(message);
  }

  void write_track(const Proto& descriptor) {
    Proto message;
    message.message(packet::track_descriptor, descriptor);
    write(message);
  }

  void describe_process(std::uint32_t group) {
    Proto process, descriptor;
    process.varint(track::process_pid, numbers_.process[group]);
    process.text(track::process_name, definitions_.groups_of_locations[group].name);
    const std::string end = broken_end(definitions_);
    if (!end.empty() && definitions_.groups_of_locations[group].kind == LocationGroupKind::process)
      process.text(track::process_labels, end);
    descriptor.varint(track::uuid, process_of(group));
    descriptor.message(track::process, process);
    write_track(descriptor);
  }

  void describe_thread(LocationRef location) {
    const Location& definition = definitions_.locations[location];
    Proto thread, descriptor;
    thread.varint(track::thread_pid,
                  definition.group < numbers_.process.size() ? numbers_.process[definition.group] : 0);
    thread.varint(track::thread_tid, numbers_.thread[location]);
    thread.text(track::thread_name, definition.name);
    descriptor.varint(track::uuid, track_of(location));
    descriptor.varint(track::parent, process_of(definition.group));
    descriptor.message(track::thread, thread);
    write_track(descriptor);
  }

  /// Each process and each device has values of its own; of some metrics each thread has.
  std::uint64_t describe_counter(const Counter& counter) {
    const bool is_defined = counter.metric < definitions_.metrics.size();
    const bool of_thread = is_defined && definitions_.metrics[counter.metric].of_thread();
    std::uint32_t group = undefined_ref;
    if (is_defined) group = definitions_.metrics[counter.metric].scope_group;
    if (group == undefined_ref && counter.location < definitions_.locations.size())
      group = definitions_.locations[counter.location].group;
    const auto [known, is_new] =
        counter_tracks_.try_emplace({counter.metric, of_thread ? counter.location : group},
                                    first_counter_track + static_cast<std::uint64_t>(counter_tracks_.size()));
    if (is_new) {
      Proto unit, descriptor;
      if (is_defined) unit.text(track::counter_unit_name, definitions_.metrics[counter.metric].shown_unit());
      descriptor.varint(track::uuid, known->second);
      descriptor.text(track::name, is_defined ? definitions_.metrics[counter.metric].name : "metric");
      if (of_thread)
        descriptor.varint(track::parent, track_of(counter.location));
      else if (group < definitions_.groups_of_locations.size())
        descriptor.varint(track::parent, process_of(group));
      descriptor.message(track::counter, unit);
      write_track(descriptor);
    }
    return known->second;
  }

  std::uint64_t describe_lane(const Band& band) {
    const auto [lane, is_new] =
        lanes_.try_emplace({band.group, band.lane}, phase_tracks + static_cast<std::uint64_t>(lanes_.size()));
    if (is_new) {
      Proto descriptor;
      descriptor.varint(track::uuid, lane->second);
      descriptor.text(track::name, band.lane == 0 ? "Phases" : "Phases (" + std::to_string(band.lane + 1) + ")");
      descriptor.varint(track::parent, process_of(band.group));
      write_track(descriptor);
    }
    return lane->second;
  }

  const Definitions& definitions_;
  const TimelineNumbers numbers_;
  std::vector<std::uint64_t> categories_;  ///< of each name
  std::ostream& out_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      counter_tracks_;                                                   ///< by metric and process, device or thread
  std::map<std::string, std::uint64_t, std::less<>> functions_, files_;  ///< interned, of samples
  std::vector<std::uint32_t> parents_;                                   ///< of sampled paths
  std::vector<SampledCounter> sampled_;
  std::set<std::uint64_t> sampled_described_;                               ///< tracks of counters
  std::set<std::uint32_t> stacks_;                                          ///< paths that are written as call stacks
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> lanes_;  ///< tracks, by process and lane
};

}  // namespace

std::unique_ptr<TimelineVisitor> make_perfetto_writer(const Definitions& definitions, std::ostream& out) {
  return std::make_unique<Writer>(definitions, out);
}

}  // namespace tracer
