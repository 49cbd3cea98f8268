// SPDX-License-Identifier: BSD-3-Clause
// See sampled_walk.hpp.
#include "formats/otf2/join/sampled_walk.hpp"

#include <charconv>
#include <string>
#include <tuple>

#include "tracer/error.hpp"

namespace tracer::otf2 {

std::uint32_t thread_of(const TraceDefinitions& definitions, const LocationDef& location) {
  std::uint32_t thread = 0;
  for (const std::string_view name : {samples::thread_property, samples::thread_of_job_property})
    for (const NamedProperty& property : location.properties) {
      if (definitions.text(property.name) != name || property.type != values::type_string) continue;
      const std::string_view text = definitions.text(property.value);
      std::from_chars(text.data(), text.data() + text.size(), thread);
    }
  return thread;
}

SampledWalk::SampledWalk(const Trace& trace, const samples::SampleSet& set, ContextTree& tree)
    : trace_(trace), definitions_(trace.definitions()), set_(set), tree_(tree), tasks_(trace.definitions(), tree) {
  for (const LocationDef& location : definitions_.locations) {
    Cursor cursor;
    if (const std::uint32_t thread = thread_of(definitions_, location); thread != 0)
      std::tie(cursor.next, cursor.end) = samples::range_of(set.samples, thread);
    cursors_.push_back(cursor);
  }
}

void SampledWalk::run() {
  trace_.for_each_event([this](const EventView& e) { event(e); });
}

unsigned SampledWalk::role(std::uint32_t region) const {
  const RegionDef* found = definitions_.regions.find(region);
  return found == nullptr ? 0 : found->role;
}

bool SampledWalk::is_parallel(std::uint32_t region) const {
  return role(region) == static_cast<unsigned>(RegionRole::parallel);
}

bool SampledWalk::is_task(std::uint32_t region) const {
  return role(region) == static_cast<unsigned>(RegionRole::task) ||
         role(region) == static_cast<unsigned>(RegionRole::task_untied);
}

// Events of the sample's own time come first: what they begin is what was sampled.
void SampledWalk::samples_before(std::size_t location, std::uint64_t time) {
  Cursor& cursor = cursors_[location];
  TaskContexts::Location& at = tasks_.location(location);
  for (; cursor.next != cursor.end && set_.samples[cursor.next].time < time; ++cursor.next) {
    const std::uint64_t own = set_.samples[cursor.next].time;
    if (!cursor.has_begun || !cursor.records || own < cursor.last) continue;
    cursor.last = own;
    TaskContexts::Task& task = at.current();
    const std::uint32_t context = context_of(cursor.next, task.top());
    const std::uint32_t kept = tree_.common(at.previous, context);
    sample(location, cursor.next, context, tree_.depth(context) - tree_.depth(kept) + 1);
    task.last = at.previous = context;
  }
}

void SampledWalk::enter(std::size_t location, const EventView& event) {
  if (!definitions_.regions.contains(event.field[0]))  // the references behind those of the archive are functions
    throw Error("location " + std::to_string(event.location) + " enters a region at " + std::to_string(event.time) +
                " that the archive does not define: run `tracer check` for details");
  TaskContexts::Location& at = tasks_.location(location);
  TaskContexts::Task& task = at.current();
  const auto region = static_cast<std::uint32_t>(event.field[0]);
  std::uint32_t parent = task.top();
  if (parent != ContextTree::root) {
    if (is_parallel(region)) encountered_[region] = parent;
  } else if (const auto known = encountered_.find(region); known != encountered_.end()) {
    parent = known->second;  // a worker's: in the context of the thread that encountered it
  } else {
    parent = parent_of(region);
  }
  const std::uint32_t context = tree_.child(parent, region);
  const std::uint32_t kept = tree_.common(at.previous, parent);  // it is entered anew, also where it was just left
  enter(location, event, context, tree_.depth(context) - tree_.depth(kept) + 1);
  task.open.push_back(context);
  task.last = at.previous = context;
}

void SampledWalk::leave(std::size_t location, const EventView& event) {
  TaskContexts::Location& at = tasks_.location(location);
  TaskContexts::Task& task = at.current();
  if (task.open.empty() || tree_.region(task.open.back()) != event.field[0])
    throw Error("location " + std::to_string(event.location) + " leaves a region at " + std::to_string(event.time) +
                " that is not the last it entered: run `tracer check` for details");
  const std::uint32_t context = task.open.back();
  task.open.pop_back();
  leave(location, event, context);
  task.last = at.previous = tree_.parent(context);
}

void SampledWalk::event(const EventView& event) {
  const std::size_t location = tasks_.index_of(event.location);
  samples_before(location, event.time);
  Cursor& cursor = cursors_[location];
  cursor.has_begun = true;
  cursor.last = event.time;
  switch (event.kind) {
    case EventKind::enter:
      return enter(location, event);
    case EventKind::leave:
      return leave(location, event);
    case EventKind::calling_context_enter:
    case EventKind::calling_context_leave:
    case EventKind::calling_context_sample:
      throw Error("the trace has samples in it already");
    case EventKind::measurement_on_off:
      cursor.records = event.field[0] == 1;
      break;
    default:
      tasks_.follow(event);
  }
  other(location, event);
}

}  // namespace tracer::otf2
