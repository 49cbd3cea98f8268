// SPDX-License-Identifier: BSD-3-Clause
// Turns frames, task switches and transfers into slices, and identities into arrows.
#include "tracer/replay/timeline.hpp"

#include <algorithm>
#include <utility>

#include "tracer/replay/process_groups.hpp"

namespace tracer::report {

namespace {

constexpr std::uint64_t task_flow = std::uint64_t{1} << 63;     ///< keeps tasks' flows apart from those to devices
constexpr std::uint64_t call_flow = std::uint64_t{1} << 61;     ///< ... and those of calls that no construct made
constexpr std::uint64_t message_flow = std::uint64_t{1} << 62;  ///< ... and messages'

}  // namespace

Timeline::Timeline(const Definitions& definitions, TimelineVisitor& visitor)
    : definitions_{definitions},
      visitor_{visitor},
      process_{processes_of_locations(definitions)},
      open_(definitions.locations.size()),
      flow_(definitions.locations.size()),
      host_operations_{definitions},
      correlation_{find_attribute(definitions, "CORRELATION_ID")} {
  for (const RegionClass& region : classify(definitions)) {
    creates_task_.push_back(region.construct == Directive::task_create);
  }
  for (const Region& region : definitions.regions) is_phase_.push_back(is_phase(region));
}

void Timeline::push(LocationRef location, const Task& task, std::uint32_t name, std::uint64_t time, bool continues) {
  Slice slice{
      .location = location, .depth = static_cast<std::uint32_t>(open_[location].size()), .name = name, .begin = time};
  slice.continues = continues;
  if (task.is_explicit) {
    if (const auto found = tasks_.find(&task); found != tasks_.end()) {
      Created& created = found->second;
      slice.task = created.number;
      if (!std::exchange(created.is_drawn, true)) slice.flow_in = task_flow | slice.task;
    }
  }
  // The slice is told before its task is there: it takes a number for it, which no other thread's task gets meanwhile.
  const bool creates = !continues && name < creates_task_.size() && creates_task_[name];
  const std::uint64_t upcoming = creates ? next_task_++ : 0;
  if (creates) slice.flow_out = task_flow | upcoming;
  if (std::uint64_t& flow = flow_[location]; flow != 0 && !continues) {
    const bool stream = definitions_.locations[location].kind == LocationKind::accelerator_stream;
    (stream ? slice.flow_in : slice.flow_out) = flow;
    flow = 0;
  }
  open_[location].push_back({slice, &task, upcoming});
  visitor_.open(slice);
}

void Timeline::pop(LocationRef location, std::uint64_t time, bool suspended) {
  Slice slice = open_[location].back().slice;
  open_[location].pop_back();
  slice.end = std::max(time, slice.begin);
  slice.suspended = suspended;
  visitor_.close(slice);
}

void Timeline::device_operation(LocationRef location, std::uint64_t id, std::uint64_t time, ArrowKind kind,
                                bool upcoming) {
  if (id == 0) return;
  if (definitions_.locations[location].kind == LocationKind::cpu_thread) {
    // Some, as allocations, have no events of a device. Others are named twice: by an attribute, by a parameter.
    Submit& submit = few_submits_.entry(submits_, {process_[location], id},
                                        [](const Submit& known) { return std::optional{known.from.time}; });
    submit.from = {location, time};
    if (upcoming) flow_[location] = submit.flow = next_flow_++;
    return;
  }
  const auto found = submits_.find({process_[location], id});
  if (found == submits_.end()) return;
  const auto& [from, flow] = found->second;
  if (upcoming) flow_[location] = flow;
  visitor_.arrow({kind, from.location, location, from.time, time});
  submits_.erase(found);
}

void Timeline::other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const std::uint64_t call = attribute_value(attributes, correlation_);
  const std::uint64_t host_op = host_operations_.of(event, attributes, call != 0 ? call_flow | call : 0);
  switch (event.type) {
    case EventType::enter:
      device_operation(location, host_op, event.time, ArrowKind::submit, true);
      break;
    case EventType::parameter_uint:
      device_operation(location, host_op, event.time, ArrowKind::submit, false);
      break;
    case EventType::rma_get:
    case EventType::rma_put: {
      if (!has_copies(definitions_.locations[location])) break;
      device_operation(location, host_op, event.time, ArrowKind::transfer, true);
      const auto name =
          static_cast<std::uint32_t>(definitions_.regions.size() + (event.type == EventType::rma_put ? 1 : 0));
      const auto depth = static_cast<std::uint32_t>(open_[location].size() + copies_.count(location, event.b));
      Slice slice{.location = location, .depth = depth, .name = name, .begin = event.time};
      slice.bytes = event.a;
      slice.flow_in = flow_[location];
      flow_[location] = 0;
      copies_.begin(location, event.b, slice);
      visitor_.open(slice);
      break;
    }
    case EventType::rma_op_complete_blocking:
      copies_.end(location, event.b, [&](Slice& slice) {
        slice.end = event.time;
        visitor_.close(slice);
      });
      break;
    case EventType::metric_uint:
      if (event.ref < definitions_.metrics.size())
        visitor_.counter({event.ref, location, event.time, event.a, value_type(event)});
      break;
    default:
      break;
  }
}

void Timeline::not_recorded(LocationRef location, std::uint64_t from, std::uint64_t to) {
  Slice slice{.location = location,
              .depth = static_cast<std::uint32_t>(open_[location].size()),
              .name = name_of_not_recorded(definitions_),
              .begin = from};
  visitor_.open(slice);
  slice.end = to;
  visitor_.close(slice);
}

void Timeline::begin_phase(LocationRef location, RegionRef region, std::uint64_t time) {
  const std::uint32_t group = definitions_.locations[location].group;
  OpenBand& open = bands_[{group, region}];
  if (open.inside++ != 0) return;
  std::vector<bool>& taken = lanes_[group];
  const auto lane = static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
  if (lane == taken.size()) taken.push_back(false);
  taken[lane] = true;
  open.band = {group, lane, region, time, 0};
}

void Timeline::end_phase(LocationRef location, RegionRef region, std::uint64_t time) {
  const auto open = bands_.find({definitions_.locations[location].group, region});
  if (open == bands_.end() || --open->second.inside != 0) return;
  Band band = open->second.band;
  bands_.erase(open);
  band.end = std::max(time, band.begin);
  lanes_[band.group][band.lane] = false;
  visitor_.band(band);
}

void Timeline::enter(LocationRef location, Task& task, const Frame& frame) {
  if (is_phase_[frame.region]) begin_phase(location, frame.region, frame.enter);
  push(location, task, frame.region, frame.enter, false);
}

void Timeline::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  if (is_phase_[frame.region]) end_phase(location, frame.region, time);
  std::vector<Open>& open = open_[location];
  while (!open.empty()) {
    const bool found = open.back().owner == &task && open.back().slice.name == frame.region;
    pop(location, time, false);
    if (found) return;
  }
}

void Timeline::task_created(LocationRef location, Task&, Task& task) {
  std::uint64_t number = open_[location].empty() ? 0 : std::exchange(open_[location].back().task, 0);
  if (number == 0) number = next_task_++;
  tasks_[&task] = {number, {location, task.created}, false};
}

void Timeline::task_started(LocationRef location, Task& task) {
  const auto found = tasks_.find(&task);
  if (found == tasks_.end()) return;
  const Origin& origin = found->second.from;
  visitor_.arrow({ArrowKind::task, origin.location, location, origin.time, task.first_start});
}

void Timeline::task_completed(LocationRef location, Task& task, std::uint64_t time) {
  while (!open_[location].empty() && open_[location].back().owner == &task) pop(location, time, false);
  tasks_.erase(&task);
}

void Timeline::task_switched(LocationRef location, Task& from, Task& to, std::uint64_t time) {
  if (&from == &to) return;
  if (from.is_explicit) {
    while (!open_[location].empty() && open_[location].back().owner == &from) pop(location, time, true);
  }
  if (!to.is_explicit) return;
  for (const Frame& frame : to.stack) push(location, to, frame.region, time, true);
}

void Timeline::finished(std::uint64_t time) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    while (!open_[i].empty()) pop(static_cast<LocationRef>(i), time, false);
  }
  copies_.end_all([&](Slice& slice) {
    slice.end = std::max(time, slice.begin);
    visitor_.close(slice);
  });
  visitor_.finish();
}

void TimelineMessages::end(const MpiMessage& of, bool is_send) {
  const MpiEnd& mine = is_send ? of.send : of.receive;
  visitor_.message_end({mine.location, mine.time, is_send, mine.partner, of.tag, of.bytes, message_flow | of.number});
}

void TimelineMessages::message(const MpiMessage& of) {
  Message out{of.send.location, of.receive.location, of.send.time, of.receive.time,
              of.send.rank,     of.receive.rank,     of.comm,      of.tag,
              of.bytes};
  out.late_sender = of.late_sender;
  out.late_receiver = of.late_receiver;
  visitor_.message(out);
}

}  // namespace tracer::report
