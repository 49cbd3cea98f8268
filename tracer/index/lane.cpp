// SPDX-License-Identifier: BSD-3-Clause
// See lane.hpp.
#include "tracer/index/lane.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tracer::index {
namespace {

Owner task_of(const Event& event) {
  return {event.ref, static_cast<std::uint32_t>(event.a), event.b};
}

}  // namespace

void Lane::push(RegionRef region, std::uint64_t time, bool continues, SliceSink& sink) {
  if (state.open.size() >= most_depth) {
    ++state.deeper;
    return;
  }
  state.open.push_back({region, time, state.current, continues});
  sink.opened(static_cast<std::uint32_t>(state.open.size() - 1), state.open.back());
}

void Lane::pop(std::uint64_t time, SliceSink& sink) {
  const OpenRegion last = state.open.back();
  state.open.pop_back();
  state.deeper = 0;
  sink.closed(static_cast<std::uint32_t>(state.open.size()), last, std::max(time, last.begin));
}

void Lane::leave(RegionRef region, std::uint64_t time, SliceSink& sink) {
  if (state.deeper != 0) {
    --state.deeper;
    return;
  }
  const auto found = std::find_if(state.open.rbegin(), state.open.rend(), [&](const OpenRegion& one) {
    return one.region == region && one.owner == state.current;
  });
  if (found == state.open.rend()) return;
  const auto keep = static_cast<std::size_t>(state.open.rend() - found) - 1;
  while (state.open.size() > keep) pop(time, sink);
}

void Lane::switch_to(const Owner& task, std::uint64_t time, TaskShelf& shelf, SliceSink& sink) {
  if (task == state.current) return;
  if (state.current.is_explicit()) {
    std::vector<RegionRef> regions;
    while (!state.open.empty() && state.open.back().owner == state.current) {
      regions.push_back(state.open.back().region);
      pop(time, sink);
    }
    std::reverse(regions.begin(), regions.end());
    if (!regions.empty()) shelf.put(state.current, std::move(regions));
  }
  state.current = task;
  if (!task.is_explicit()) return;
  for (const RegionRef region : shelf.take(task)) push(region, time, true, sink);
}

/// A stream does one thing after the other: it is the innermost one, whatever its matching id.
void Lane::end_copy(std::uint64_t time, SliceSink& sink) {
  const auto found = std::find_if(state.open.rbegin(), state.open.rend(),
                                  [&](const OpenRegion& one) { return one.region >= names_.copies; });
  if (found != state.open.rend()) leave(found->region, time, sink);
}

void Lane::step(const Event& event, TaskShelf& shelf, SliceSink& sink) {
  const bool was_off = is_off();
  if (was_off) [[unlikely]]
    pop(event.time, sink);
  handle(event, shelf, sink);
  const bool is_switch = event.type == EventType::measurement_on_off;
  if (is_switch ? event.a != 0 : !was_off) [[likely]]
    return;
  if (state.open.size() < most_depth) push(names_.not_recorded, event.time, was_off, sink);
}

void Lane::handle(const Event& event, TaskShelf& shelf, SliceSink& sink) {
  switch (event.type) {
    case EventType::enter:
      push(event.ref, event.time, false, sink);
      break;
    case EventType::leave:
      leave(event.ref, event.time, sink);
      break;
    case EventType::task_switch:
      switch_to(event.b == 0 ? implicit() : task_of(event), event.time, shelf, sink);
      break;
    case EventType::task_complete: {
      const Owner task = task_of(event);
      while (!state.open.empty() && state.open.back().owner == task) pop(event.time, sink);
      if (state.current == task) state.current = implicit();
      break;
    }
    case EventType::thread_fork:
      if (state.forks.size() < most_depth) state.forks.push_back({state.current, state.teams});
      break;
    case EventType::thread_join:
      if (!state.forks.empty()) state.forks.pop_back();
      break;
    case EventType::team_begin:
      ++state.teams;
      state.current = implicit();
      break;
    case EventType::team_end:
      if (state.teams == 0) break;
      --state.teams;
      state.current = implicit();
      if (!state.forks.empty() && state.forks.back().teams == state.teams) state.current = state.forks.back().from;
      break;
    case EventType::rma_get:
    case EventType::rma_put:
      if (names_.copies != undefined_ref)
        push(names_.copies + (event.type == EventType::rma_put ? 1u : 0u), event.time, false, sink);
      break;
    case EventType::rma_op_complete_blocking:
      if (names_.copies != undefined_ref) end_copy(event.time, sink);
      break;
    default:
      break;
  }
}

}  // namespace tracer::index
