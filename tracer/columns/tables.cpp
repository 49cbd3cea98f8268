// SPDX-License-Identifier: BSD-3-Clause
// See tables.hpp.
#include "tracer/columns/tables.hpp"

#include <algorithm>
#include <array>

#include "tracer/event_names.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/timeline.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::columns {
namespace {

using parquet::Column;
using parquet::File;
using report::Frame;
using report::Task;
using report::Team;
using enum parquet::Type;

/// 0: the task is of no team.
std::uint64_t team_number(const Task& task) {
  return task.team == nullptr ? 0 : task.team->number;
}

/// Of a stream, that nothing computes: Score-P's "COMPUTE IDLE" and "GPU IDLE".
bool is_idle(const Region& region) {
  return region.role == RegionRole::artificial && region.name.ends_with("IDLE");
}

/// Whether it is in the events table.
bool is_in_table(EventType type) {
  return type != EventType::enter && type != EventType::leave && type != EventType::metric_uint;
}

/// Of a parameter's name, or its value.
bool has_text(EventType type) {
  return type == EventType::parameter_int || type == EventType::parameter_uint || type == EventType::parameter_string ||
         type == EventType::program_begin;
}

/// Of events, by their types.
constexpr auto event_names = [] {
  std::array<std::string_view, event_types> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = name_of(static_cast<EventType>(i));
  return names;
}();

}  // namespace

Tables::Tables(const Definitions& definitions, const report::Replay& replay, const report::Phases& phases,
               const std::filesystem::path& directory, const WriteOptions& options)
    : definitions_{definitions},
      is_kernel_{definitions},
      host_operations_{definitions},
      replay_{replay},
      phases_{phases},
      origin_{definitions.clock.offset},
      shortest_{options.shortest},
      files_{directory, definitions, options.anchor},
      samples_{files_, origin_},
      next_host_op_(definitions.locations.size()) {
  for (const Location& location : definitions.locations)
    is_stream_.push_back(location.kind == LocationKind::accelerator_stream);
}

void Tables::other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  now_ = event.time;
  now_location_ = location;
  const std::uint64_t host_op = host_operations_.of(event, attributes);
  switch (event.type) {
    case EventType::enter:
      if (host_op != 0) submit(location, event, host_op);
      return;
    case EventType::leave:
      return;
    case EventType::metric_uint:
      files_.file(Table::metrics, location)
          .row(since(event.time), location, event.ref,
               value_type(event) == ValueType::float64 ? std::uint64_t{0} : event.a,
               number_of(Counter{.value = event.a, .type = value_type(event)}));
      return;
    case EventType::parameter_uint:
      if (host_op != 0) submit(location, event, host_op);
      break;
    case EventType::acquire_lock:
      acquire(location, event);
      break;
    case EventType::release_lock: {
      Lock& lock = lock_of(replay_.in_process(location, lock_number(event)));
      const std::uint64_t held = lock.open.held ? event.time - std::min(event.time, lock.open.acquired) : 0;
      if (lock.open.held) add_lock(event.a, lock.open, event.time, held);
      lock.open.held = false;
      lock.released = event.time;
      break;
    }
    case EventType::rma_get:
    case EventType::rma_put:
      if (report::has_copies(definitions_.locations[location]))
        copies_.begin(location, event.b, {event.time, event.a, host_op, event.type == EventType::rma_get});
      break;
    case EventType::rma_op_complete_blocking:
      copies_.end(location, event.b, [&](const Copy& copy) {
        add_operation(location, copy.to_device ? "to_device" : "from_device", undefined_ref, copy.begin, event.time,
                      copy.bytes, copy.host_op);
      });
      break;
    default:
      break;
  }
  add_event(location, event);
}

void Tables::add_event(LocationRef location, const Event& event) {
  if (!is_in_table(event.type)) return;
  File& file = files_.file(Table::events, location);
  const auto type = static_cast<std::size_t>(event.type);
  std::uint32_t name = file.word(3, 0, ""), value_text = file.word(7, 0, "");
  if (has_text(event.type)) [[unlikely]] {
    if (event.type != EventType::program_begin && event.ref < definitions_.parameters.size())
      name = file.word(3, std::size_t{event.ref} + 1, definitions_.parameters[event.ref].name);
    const bool is_text = event.type == EventType::parameter_string || event.type == EventType::program_begin;
    if (is_text && event.a < definitions_.strings.size()) value_text = file.word(7, definitions_.strings[event.a]);
  }
  file.row(since(event.time), location, file.word(2, type, event_names[type]), name, event.ref, event.a, event.b,
           value_text);
}

void Tables::not_recorded(LocationRef location, std::uint64_t from, std::uint64_t to) {
  files_.file(Table::not_recorded, location).row(since(from), since(to), location);
}

void Tables::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  if (is_stream_[location] && task.stack.empty() && !is_idle(definitions_.regions[frame.region])) {
    const RegionRole role = definitions_.regions[frame.region].role;
    const char* const kind = is_kernel_(frame.region)            ? "kernel"
                             : role == RegionRole::data_transfer ? "transfer"
                             : role == RegionRole::allocate      ? "allocate"
                             : role == RegionRole::deallocate    ? "free"
                             : role == RegionRole::artificial    ? "overhead"
                                                                 : "wait";
    add_operation(location, kind, frame.region, frame.enter, time, 0, next_host_op_[location]);
    next_host_op_[location] = 0;
  }
  if (time - frame.enter < shortest_) return;
  const Frame* const outer = task.stack.empty() ? nullptr : &task.stack.back();
  files_.file(Table::regions, frame.location)
      .row(frame.number, outer == nullptr ? 0 : outer->number, since(frame.enter), since(time), frame.exclusive,
           frame.active - frame.exclusive, frame.waiting, frame.location, frame.region, task.stack.size(), task.number,
           team_number(task));
}

void Tables::task_completed(LocationRef, Task& task, std::uint64_t time) {
  add_task(task, time, true);
}

void Tables::add_task(const Task& task, std::uint64_t completed, bool is_complete) {
  files_.file(Table::tasks, task.location)
      .row(task.number, task.parent == nullptr ? 0 : task.parent->number, team_number(task), or_none(task.region),
           since(task.created), task.started ? since(task.first_start) : -1, since(completed), task.active,
           task.location, or_none(task.created_on), is_complete ? 1 : 0);
}

void Tables::task_dependence(Task& source, Task& sink) {
  files_.file(Table::dependences, now_location_).row(since(now_), source.number, sink.number);
}

void Tables::team_ended(Team& team) {
  const std::uint64_t task = team.encountering == nullptr ? 0 : team.encountering->number;
  const LocationRef at = team.master < is_stream_.size() ? team.master : 0;
  files_.file(Table::teams, at)
      .row(team.number, or_none(team.region), since(team.begin), since(team.end), team.members.size(), team.master,
           task, or_none(team.comm));
}

void Tables::message(const report::MpiMessage& message) {
  const report::MpiEnd &send = message.send, &receive = message.receive;
  File& file = files_.file(Table::messages, receive.location);
  file.row(file.word(0, "MPI"), send.location, since(send.time), receive.location, since(receive.time), send.rank,
           receive.rank, or_none(message.comm), message.tag, message.bytes, message.late_sender, message.late_receiver);
}

/// Of a lock that nobody has only the last release is of interest, and not for long.
Tables::Lock& Tables::lock_of(OwnNumber lock) {
  return few_locks_.entry(locks_, lock, [](const Lock& known) -> std::optional<std::uint64_t> {
    if (known.open.held) return {};
    return known.released;
  });
}

void Tables::acquire(LocationRef location, const Event& event) {
  Lock& lock = lock_of(replay_.in_process(location, lock_number(event)));
  if (lock.open.held) add_lock(event.a, lock.open, 0, 0);  // taken again by whom has it
  const report::LocationState& state = replay_.location(location);
  lock.open = {undefined_ref, location, state.current->number, event.time, event.time, event.b, false, true};
  if (state.current->stack.empty()) return;
  const Frame& frame = state.current->stack.back();
  lock.open.region = frame.region;
  if (frame.activity != report::Activity::lock_wait) return;
  lock.open.requested = std::min(event.time, frame.enter);
  lock.open.contended = lock.released > frame.enter;
}

void Tables::add_lock(std::uint64_t lock, const OpenLock& open, std::uint64_t released, std::uint64_t held) {
  files_.file(Table::locks, open.location)
      .row(lock, or_none(open.region), open.location, open.task, since(open.requested), since(open.acquired),
           released == 0 ? -1 : since(released), open.acquired - open.requested, held, open.contended ? 1 : 0,
           open.order);
}

void Tables::submit(LocationRef location, const Event& event, std::uint64_t host_op) {
  if (is_stream_[location]) {
    next_host_op_[location] = host_op;
    return;
  }
  // Devices report nothing about some, such as allocations.
  few_submits_.entry(submits_, replay_.in_process(location, host_op),
                     [](const Submit& submit) { return std::optional{submit.time}; }) = {location, event.time};
}

void Tables::add_operation(LocationRef location, const char* kind, RegionRef region, std::uint64_t begin,
                           std::uint64_t end, std::uint64_t bytes, std::uint64_t host_op) {
  File& file = files_.file(Table::device_operations, location);
  const auto found = submits_.find(replay_.in_process(location, host_op));
  const Submit from = found == submits_.end() ? Submit{} : found->second;
  file.row(file.word(0, kind), or_none(region), location, since(begin), since(end), bytes, host_op,
           or_none(from.location), from.location == undefined_ref ? -1 : since(from.time));
  if (found != submits_.end()) submits_.erase(found);
}

void Tables::finished(std::uint64_t time) {
  for (const auto& [lock, state] : locks_) {
    if (state.open.held) add_lock(static_cast<std::uint32_t>(lock.number), state.open, 0, 0);  // without its paradigm
  }
  for (const Task* task : replay_.open_tasks())
    if (task->created_on != undefined_ref) add_task(*task, time, false);
  files_.close_all();
  add_definitions();
}

void Tables::add_definitions() {
  const auto group_name = [&](std::uint32_t group) -> std::string_view {
    return group < definitions_.groups_of_locations.size() ? definitions_.groups_of_locations[group].name
                                                           : std::string_view{};
  };
  File locations = files_.make(
      "locations", {{"location"}, {"name", text}, {"kind", text}, {"process"}, {"group", text}, {"ended_ns"}});
  for (std::uint32_t i = 0; i < definitions_.locations.size(); ++i) {
    const Location& location = definitions_.locations[i];
    const auto ended = thread_end_since(location, origin_);
    locations.row(i, locations.word(1, location.name), locations.word(2, kind_of(location)), files_.process_of(i),
                  locations.word(4, group_name(location.group)), ended ? static_cast<std::int64_t>(*ended) : -1);
  }
  files_.close(locations);
  File processes = files_.make("processes", {{"process"}, {"name", text}});
  for (std::size_t i = 0; i < files_.processes().size(); ++i)
    processes.row(i, processes.word(1, group_name(files_.processes()[i])));
  files_.close(processes);
  File regions = files_.make("region_names", {{"region"},
                                              {"name", text},
                                              {"canonical", text},
                                              {"label", text},
                                              {"activity", text},
                                              {"role", int32},
                                              {"paradigm", int32},
                                              {"functions", text},
                                              {"file", text},
                                              {"line"},
                                              {"end_line"}});
  for (std::size_t i = 0; i < definitions_.regions.size(); ++i) {
    const Region& region = definitions_.regions[i];
    const report::RegionClass& known = replay_.classes()[i];
    regions.row(i, regions.word(1, region.name), regions.word(2, region.canonical), regions.word(3, known.label),
                regions.word(4, report::name_of(known.activity)), static_cast<int>(region.role),
                static_cast<int>(region.paradigm), regions.word(7, region.description),
                regions.word(8, region.source_file), region.begin_line, region.end_line);
  }
  files_.close(regions);
  File metrics = files_.make("metric_names", {{"metric"}, {"name", text}, {"unit", text}, {"description", text}});
  for (std::size_t i = 0; i < definitions_.metrics.size(); ++i) {
    const Metric& metric = definitions_.metrics[i];
    metrics.row(i, metrics.word(1, metric.name), metrics.word(2, metric.shown_unit()),
                metrics.word(3, metric.description));
  }
  files_.close(metrics);
  add_phases();
  File properties = files_.make("properties", {{"name", text}, {"value", text}});
  for (const Property& property : definitions_.properties)
    properties.row(properties.word(0, property.name), properties.word(1, property.value));
  files_.close(properties);
}

void Tables::add_phases() {
  using enum parquet::Type;
  File file = files_.make("phases", {{"region"},
                                     {"count"},
                                     {"total_ns"},
                                     {"longest_ns"},
                                     {"shortest_ns"},
                                     {"work_ns"},
                                     {"waiting_ns"},
                                     {"runtime_ns"},
                                     {"device_wait_ns"},
                                     {"mpi_ns"},
                                     {"device_ns"},
                                     {"threads"},
                                     {"max_over_mean", real}});
  for (const report::PhaseRow& row : phases_.rows()) {
    const PhaseTotals p = report::totals_of(row);
    file.row(p.region, p.count, p.total, p.longest, p.shortest, p.work, p.waiting, p.runtime, p.device_wait, p.mpi,
             p.operations, p.threads, p.max_over_mean);
  }
  files_.close(file);
}

}  // namespace tracer::columns
