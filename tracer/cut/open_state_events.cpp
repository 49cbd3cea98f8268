// SPDX-License-Identifier: BSD-3-Clause
// What is open, as events: at the begin of a part what opened it, at its end what closes it.
#include "tracer/cut/open_state.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tracer::report {
namespace {

Event event_of(EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0, std::uint16_t sub = 0) {
  return {.time = 0, .type = type, .attributes = 0, .sub = sub, .ref = ref, .a = a, .b = b};
}

std::optional<Event> end_of(const Event& begin) {
  switch (begin.type) {
    case EventType::enter:
      return event_of(EventType::leave, begin.ref);
    case EventType::acquire_lock:
      return event_of(EventType::release_lock, begin.ref, begin.a, begin.b, begin.sub);
    case EventType::thread_fork:
      return event_of(EventType::thread_join, 0, 0, 0, begin.sub);
    case EventType::team_begin:
      return event_of(EventType::team_end, begin.ref);
    case EventType::program_begin:
      return event_of(EventType::program_end);
    case EventType::task_create:
      return event_of(EventType::task_complete, begin.ref, begin.a, begin.b);
    case EventType::rma_get:
    case EventType::rma_put:
      return event_of(EventType::rma_op_complete_blocking, 0, 0, begin.b, begin.sub);
    default:
      return std::nullopt;  // operations of MPI: they are not a part's if they end behind it
  }
}

EventType end_of_collective(const Event& begin) {
  return begin.type == EventType::mpi_collective_begin ? EventType::mpi_collective_end
                                                       : EventType::mpi_rma_collective_end;
}

}  // namespace

std::vector<std::pair<OpenState::Held, std::uint64_t>> OpenState::done_ahead() const {
  constexpr std::uint64_t most = 64;  // else they do not do the same
  std::map<CommRef, std::vector<std::pair<LocationRef, const Membership*>>> teams;
  for (LocationRef location = 0; location < locations_.size(); ++location)
    for (const Membership& membership : locations_[location].teams)
      teams[membership.begin.event.ref].emplace_back(location, &membership);
  std::vector<std::pair<Held, std::uint64_t>> ahead;
  for (const auto& [comm, members] : teams) {
    const bool all_are_there = comm < members_.size() && members.size() >= members_[comm].size();
    std::map<RegionRef, std::uint64_t> least;
    for (const auto& member : members)
      for (const auto& entry : member.second->done) least.emplace(entry.first, all_are_there ? entry.second.times : 0);
    for (auto& entry : least)
      for (const auto& member : members) {
        entry.second = std::min(entry.second, member.second->done.times(entry.first));
      }
    for (const auto& member : members)
      for (const auto& entry : member.second->done) {
        const Done& done = entry.second;
        const std::uint64_t times = done.times - least[entry.first];
        if (times == 0 || times > most) continue;
        ahead.push_back({{done.number, member.first, event_of(EventType::enter, done.region), {}}, times});
      }
  }
  return ahead;
}

void OpenState::emit_absent(const Membership& master, std::uint64_t time, const Emit& emit) const {
  const CommRef comm = master.begin.event.ref;
  const auto found = begun_.find(comm);
  if (comm >= members_.size() || found == begun_.end()) return;
  const Comers& begun = found->second;
  const auto at = [&](LocationRef location, EventType type, std::uint32_t ref) {
    Event event = event_of(type, ref);
    event.time = time;
    emit(location, event, {});
  };
  for (const LocationRef member : members_[comm]) {
    if (member >= used_.size() || !used_[member] || begun.has(member)) continue;
    at(member, EventType::team_begin, comm);
    if (master.region != undefined_ref) at(member, EventType::enter, master.region);
    if (master.region != undefined_ref) at(member, EventType::leave, master.region);
    at(member, EventType::team_end, comm);
  }
}

std::vector<OpenState::Item> OpenState::items(const std::vector<std::pair<Held, std::uint64_t>>& more) const {
  std::vector<Item> items;
  const auto add = [&items](const Stack& stack, const Owner& owner) {
    for (const Held& held : stack) items.push_back({&held, owner, false, nullptr, 0});
  };
  for (const State& state : locations_) {
    add(state.stack, {});
    add(state.operations, {});
    for (const Membership& membership : state.teams) {
      items.push_back({&membership.begin, {}, false, &membership, 0});
      add(membership.stack, {});
    }
  }
  for (const auto& [key, task] : tasks_) {
    if (task.create) items.push_back({&*task.create, key, true, nullptr, 0});
    add(task.stack, key);
  }
  for (const auto& one : more) items.push_back({&one.first, {}, false, nullptr, one.second});
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.held->number < b.held->number; });
  return items;
}

void OpenState::go_to(LocationRef location, const Owner& to, std::uint64_t time, std::vector<Owner>& current,
                      const Emit& emit) const {
  if (current[location] == to) return;
  const CommRef comm = std::get<0>(to ? *to : *current[location]);
  Event event = event_of(EventType::task_switch, comm);
  if (to) {
    event.a = std::get<1>(*to);
    event.b = std::get<2>(*to);
  } else if (comm < members_.size()) {  // the implicit task is its thread's, by rank
    const auto& members = members_[comm];
    const auto rank = std::find(members.begin(), members.end(), location) - members.begin();
    event.a = static_cast<std::uint64_t>(rank) < members.size() ? static_cast<std::uint64_t>(rank) : 0;
  }
  event.time = time;
  current[location] = to;
  emit(location, event, {});
}

void OpenState::emit_done(LocationRef location, Event enter, std::uint64_t times, const Emit& emit) {
  Event leave = enter;
  leave.type = EventType::leave;
  for (std::uint64_t written = 0; written < times; ++written) {
    emit(location, enter, {});
    emit(location, leave, {});
  }
}

void OpenState::emit_recording(bool on, std::uint64_t time, const Emit& emit) const {
  Event event = event_of(EventType::measurement_on_off, 0, on ? 1 : 0);
  event.time = time;
  for (LocationRef location = 0; location < locations_.size(); ++location)
    if (locations_[location].off) emit(location, event, {});
}

void OpenState::emit_begun(const Emit& emit) const {
  std::vector<Owner> current(locations_.size());
  const auto ahead = done_ahead();
  for (const Item& item : items(ahead)) {
    const LocationRef location = item.held->location;
    Event event = item.held->event;
    event.time = 0;
    if (!item.is_task && event.type != EventType::team_begin) go_to(location, item.owner, 0, current, emit);
    if (event.type == EventType::team_begin) current[location].reset();
    if (item.times == 0) emit(location, event, item.held->attributes);
    emit_done(location, event, item.times, emit);
    if (!item.held->over) continue;
    emit(location, event_of(EventType::team_begin, undefined_ref), {});
    emit(location, event_of(EventType::team_end, undefined_ref), {});
  }
  for (LocationRef location = 0; location < locations_.size(); ++location)
    go_to(location, locations_[location].current, 0, current, emit);
}

void OpenState::emit_openings(std::uint64_t time, const Emit& emit) {
  std::vector<Owner> current(locations_.size());
  std::vector<std::pair<LocationRef, Event>> leaves;  // of parallel regions that are over
  const auto ahead = done_ahead();
  for (const Item& item : items(ahead)) {
    const LocationRef location = item.held->location;
    Event event = item.held->event;
    event.time = time;
    if (item.held->over) {
      ++locations_[location].joins;
      continue;
    }
    if (event.type == EventType::mpi_collective_begin || event.type == EventType::mpi_rma_collective_begin) {
      locations_[location].collective = event;
      continue;
    }
    if (!item.is_task && event.type != EventType::team_begin) go_to(location, item.owner, time, current, emit);
    if (event.type == EventType::team_begin) current[location].reset();
    if (item.times == 0) emit(location, event, item.held->attributes);
    emit_done(location, event, item.times, emit);
    if (item.membership == nullptr || !is_region_over(*item.membership)) continue;
    Event region = event_of(EventType::enter, item.membership->region);
    region.time = time;
    emit(location, region, {});
    region.type = EventType::leave;
    leaves.emplace_back(location, region);
  }
  for (const auto& [location, leave] : leaves) emit(location, leave, {});
  for (LocationRef location = 0; location < locations_.size(); ++location)
    go_to(location, locations_[location].current, time, current, emit);
  emit_recording(false, time, emit);
  forget_over();
}

void OpenState::forget_over() {
  const auto forget_in = [](Stack& stack) { std::erase_if(stack, [](const Held& held) { return held.over; }); };
  for (State& state : locations_) {
    forget_in(state.stack);
    for (Membership& membership : state.teams) forget_in(membership.stack);
  }
  for (auto& entry : tasks_) forget_in(entry.second.stack);
}

bool OpenState::goes_on(LocationRef location, const Event& event, std::optional<Event>& first) {
  State& state = locations_[location];
  if (event.type == EventType::thread_join && state.joins != 0) {
    --state.joins;
    return false;
  }
  if (!state.collective || event.type != end_of_collective(*state.collective)) return true;
  first = state.collective;
  first->time = event.time;  // others may have been written since
  state.collective.reset();
  return true;
}

void OpenState::emit_closings(std::uint64_t time, const Emit& emit) const {
  emit_recording(true, time, emit);
  std::vector<Owner> current;
  std::vector<std::vector<Owner>> forks;
  for (const State& state : locations_) {
    current.push_back(state.current);
    forks.push_back(state.forks);
    forks.back().resize(state.forks.size() - std::min(state.joins, state.forks.size()));
  }
  const std::vector<Item> open = items();
  for (auto item = open.rbegin(); item != open.rend(); ++item) {
    std::optional<Event> event = end_of(item->held->event);
    LocationRef location = item->held->location;
    if (item->owner) {
      const ExplicitTask& task = tasks_.at(*item->owner);
      if (!event || (item->is_task && !task.started)) continue;
      location = task.at;
    }
    if (!event) continue;
    go_to(location, item->owner, time, current, emit);
    event->time = time;
    if (item->is_master()) emit_absent(*item->membership, time, emit);
    emit(location, *event, {});
    if (item->is_task) go_to(location, {}, time, current, emit);
    if (event->type == EventType::team_end)
      current[location] = item->is_master() && !forks[location].empty() ? forks[location].back() : Owner{};
    if (event->type == EventType::thread_join && !forks[location].empty()) forks[location].pop_back();
  }
}

}  // namespace tracer::report
