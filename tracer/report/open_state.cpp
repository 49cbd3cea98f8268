// SPDX-License-Identifier: BSD-3-Clause
// See open_state.hpp.
#include "tracer/report/open_state.hpp"

#include <algorithm>

#include "tracer/report/comm_members.hpp"

namespace tracer::report {
namespace {

Event event_of(EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
  return {.time = 0, .type = type, .attributes = 0, .sub = 0, .ref = ref, .a = a, .b = b};
}

bool is_parameter(EventType type) {
  return type == EventType::parameter_int || type == EventType::parameter_uint || type == EventType::parameter_string;
}

/// Whether `end` is the end of what `begin` opened, of what opens and closes like brackets.
bool is_end_of(const Event& begin, const Event& end) {
  switch (end.type) {
    case EventType::leave:
      return begin.type == EventType::enter && begin.ref == end.ref;
    case EventType::release_lock:
      return begin.type == EventType::acquire_lock && begin.a == end.a;
    case EventType::thread_join:
      return begin.type == EventType::thread_fork;
    case EventType::program_end:
      return begin.type == EventType::program_begin;
    case EventType::mpi_collective_end:
      return begin.type == EventType::mpi_collective_begin;
    case EventType::mpi_rma_collective_end:
      return begin.type == EventType::mpi_rma_collective_begin;
    default:
      return false;
  }
}

std::optional<Event> end_of(const Event& begin) {
  switch (begin.type) {
    case EventType::enter:
      return event_of(EventType::leave, begin.ref);
    case EventType::acquire_lock:
      return event_of(EventType::release_lock, begin.ref, begin.a, begin.b);
    case EventType::thread_fork:
      return event_of(EventType::thread_join);
    case EventType::team_begin:
      return event_of(EventType::team_end, begin.ref);
    case EventType::program_begin:
      return event_of(EventType::program_end);
    case EventType::task_create:
      return event_of(EventType::task_complete, begin.ref, begin.a, begin.b);
    case EventType::rma_get:
    case EventType::rma_put: {
      Event end = event_of(EventType::rma_op_complete_blocking, 0, 0, begin.b);
      end.sub = begin.sub;
      return end;
    }
    default:
      return std::nullopt;  // operations of MPI: they are not a part's if they end behind it
  }
}

}  // namespace

OpenState::OpenState(const Definitions& definitions)
    : members_{comm_members(definitions)}, locations_(definitions.locations.size()) {
  for (const Location& location : definitions.locations) {
    used_.push_back(location.used);
    process_.push_back(location.group);
  }
  for (const Region& region : definitions.regions) roles_.push_back(region.role);
}

void OpenState::hold(Stack& stack, LocationRef location, const Event& event,
                     std::span<const EventAttribute> attributes) {
  stack.push_back({events_, location, event, {attributes.begin(), attributes.end()}});
}

void OpenState::follow(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  ++events_;
  State& state = locations_[location];
  Stack& stack = stack_of(state);
  switch (event.type) {
    case EventType::thread_fork:
      state.forks.push_back(state.current);
      return hold(stack, location, event, attributes);
    case EventType::enter:
    case EventType::acquire_lock:
    case EventType::program_begin:
    case EventType::mpi_collective_begin:
    case EventType::mpi_rma_collective_begin:
      return hold(stack, location, event, attributes);
    case EventType::parameter_int:
    case EventType::parameter_uint:
    case EventType::parameter_string:
      if (!stack.empty()) hold(stack, location, event, attributes);
      return;
    case EventType::thread_join:
      if (!state.forks.empty()) state.forks.pop_back();
      if (state.joining != 0) --state.joining;
      [[fallthrough]];
    case EventType::leave:
    case EventType::release_lock:
    case EventType::program_end:
    case EventType::mpi_collective_end:
    case EventType::mpi_rma_collective_end: {
      const auto begin =
          std::find_if(stack.rbegin(), stack.rend(), [&](const Held& held) { return is_end_of(held.event, event); });
      if (begin == stack.rend()) return;
      const auto first = std::prev(begin.base());
      stack.erase(first, std::find_if(std::next(first), stack.end(),
                                      [](const Held& held) { return !is_parameter(held.event.type); }));
      if (event.type == EventType::leave) note_done(state, event);
      return;
    }
    case EventType::rma_get:
    case EventType::rma_put:
    case EventType::mpi_collective_request:
    case EventType::mpi_irecv_request:
    case EventType::comm_create:
    case EventType::mpi_window_create:
      return hold(state.operations, location, event, attributes);
    case EventType::rma_op_complete_blocking:
    case EventType::mpi_collective_complete:
    case EventType::mpi_irecv:
    case EventType::mpi_request_cancelled:
    case EventType::comm_destroy:
    case EventType::mpi_window_destroy:
      return close_operation(location, event, attributes);
    case EventType::team_begin:
      return begin_team(location, state, event, attributes);
    case EventType::team_end:
      return end_team(state);
    case EventType::task_create:
    case EventType::task_switch:
    case EventType::task_complete:
      return follow_task(location, state, event, attributes);
    default:
      return;
  }
}

void OpenState::note_done(State& state, const Event& leave) {
  if (state.current || state.teams.empty() || leave.ref >= roles_.size()) return;
  Membership& membership = state.teams.back();
  const auto is_barrier = [this](RegionRef region) {
    return region < roles_.size() &&
           (roles_[region] == RegionRole::barrier || roles_[region] == RegionRole::implicit_barrier);
  };
  const RegionRole role = roles_[leave.ref];
  const bool shared = role == RegionRole::loop || role == RegionRole::sections || role == RegionRole::workshare ||
                      role == RegionRole::single;
  if (!shared && !is_barrier(leave.ref)) return;
  if (!shared && std::any_of(membership.stack.begin(), membership.stack.end(), [&](const Held& held) {
        return held.event.type == EventType::enter && is_barrier(held.event.ref);  // a barrier's wait, inside of it
      }))
    return;
  Done& done = membership.done[shared ? leave.ref : undefined_ref];
  ++done.times;
  done.number = events_;
  done.region = leave.ref;
}

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
      for (const auto& entry : member.second->done) least.emplace(entry.first, all_are_there ? most << 32 : 0);
    for (auto& entry : least)
      for (const auto& member : members) {
        const auto found = member.second->done.find(entry.first);
        entry.second = std::min(entry.second, found == member.second->done.end() ? 0 : found->second.times);
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

/// A request may end on another thread of its process.
void OpenState::close_operation(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const std::uint64_t request = attributes.empty() || !attributes.front().is_payload() ? 0 : attributes.front().value;
  const auto is_closed = [&](const Held& held) {
    const Event& open = held.event;
    switch (event.type) {
      case EventType::rma_op_complete_blocking:
        return (open.type == EventType::rma_get || open.type == EventType::rma_put) && open.sub == event.sub &&
               open.b == event.b;
      case EventType::comm_destroy:
        return open.type == EventType::comm_create && open.ref == event.ref;
      case EventType::mpi_window_destroy:
        return open.type == EventType::mpi_window_create && open.sub == event.sub;
      case EventType::mpi_collective_complete:
        return open.type == EventType::mpi_collective_request && open.a == request;
      case EventType::mpi_irecv:
        return open.type == EventType::mpi_irecv_request && open.a == request;
      default:  // a request is cancelled
        return (open.type == EventType::mpi_collective_request || open.type == EventType::mpi_irecv_request) &&
               open.a == event.a;
    }
  };
  const auto close_on = [&](LocationRef where) {
    Stack& operations = locations_[where].operations;
    const auto found = std::find_if(operations.begin(), operations.end(), is_closed);
    if (found == operations.end()) return false;
    operations.erase(found);
    return true;
  };
  if (close_on(location) || event.type == EventType::rma_op_complete_blocking) return;
  for (LocationRef other = 0; other < locations_.size(); ++other)
    if (process_[other] == process_[location] && close_on(other)) return;
}

void OpenState::begin_team(LocationRef location, State& state, const Event& event,
                           std::span<const EventAttribute> attributes) {
  const auto masters = std::count_if(state.teams.begin(), state.teams.end(),
                                     [](const Membership& membership) { return membership.is_master; });
  Membership& membership = state.teams.emplace_back();
  membership.begin = {events_, location, event, {attributes.begin(), attributes.end()}};
  membership.is_master = state.forks.size() > static_cast<std::size_t>(masters) + state.joining;
  state.current.reset();
  std::vector<LocationRef>& begun = begun_[event.ref];
  if (std::find(begun.begin(), begun.end(), location) != begun.end()) begun.clear();  // another fork's
  begun.push_back(location);
}

void OpenState::tell_absent(const Membership& master, std::uint64_t time, const Tell& tell) const {
  const CommRef comm = master.begin.event.ref;
  const auto found = begun_.find(comm);
  if (comm >= members_.size() || found == begun_.end()) return;
  const std::vector<LocationRef>& begun = found->second;
  const auto at = [&](LocationRef location, EventType type, std::uint32_t ref) {
    Event event = event_of(type, ref);
    event.time = time;
    tell(location, event, {});
  };
  for (const LocationRef member : members_[comm]) {
    if (member >= used_.size() || !used_[member] || std::find(begun.begin(), begun.end(), member) != begun.end())
      continue;
    const bool has_region = !master.stack.empty() && master.stack.front().event.type == EventType::enter;
    at(member, EventType::team_begin, comm);
    if (has_region) at(member, EventType::enter, master.stack.front().event.ref);
    if (has_region) at(member, EventType::leave, master.stack.front().event.ref);
    at(member, EventType::team_end, comm);
  }
}

bool OpenState::is_forking(LocationRef location) const {
  const State& state = locations_[location];
  const auto masters = std::count_if(state.teams.begin(), state.teams.end(),
                                     [](const Membership& membership) { return membership.is_master; });
  if (state.forks.size() > static_cast<std::size_t>(masters) + state.joining) return true;
  return !state.teams.empty() && state.teams.back().is_master && state.teams.back().stack.empty() && !state.current;
}

bool OpenState::is_any_forking() const {
  for (LocationRef location = 0; location < locations_.size(); ++location)
    if (is_forking(location)) return true;
  return false;
}

/// A master that was in an explicit task when it forked returns to that task.
void OpenState::end_team(State& state) {
  if (state.teams.empty()) return;
  const bool is_master = state.teams.back().is_master;
  state.teams.pop_back();
  state.current = is_master && !state.forks.empty() ? state.forks.back() : Owner{};
  if (!is_master) return;
  ++state.joining;
  Stack& stack = stack_of(state);
  const auto fork = std::find_if(stack.rbegin(), stack.rend(),
                                 [](const Held& held) { return held.event.type == EventType::thread_fork; });
  if (fork != stack.rend()) fork->over = true;
}

void OpenState::follow_task(LocationRef location, State& state, const Event& event,
                            std::span<const EventAttribute> attributes) {
  const TaskKey key{event.ref, event.a, event.b};
  if (event.type == EventType::task_create) {
    ExplicitTask& task = tasks_[key];
    task = {};
    task.create = Held{events_, location, event, {attributes.begin(), attributes.end()}};
    task.at = location;
  } else if (event.type == EventType::task_complete) {
    tasks_.erase(key);
    if (state.current == key) state.current.reset();
  } else if (event.b == 0) {
    state.current.reset();
  } else {
    state.current = key;
    ExplicitTask& task = tasks_[key];
    task.started = true;
    task.at = location;
  }
}

/// All that is open, in the order in which it was opened.
std::vector<OpenState::Item> OpenState::items() const {
  std::vector<Item> items;
  const auto add = [&items](const Stack& stack, const Owner& owner) {
    for (const Held& held : stack) items.push_back({&held, owner, false, nullptr, 0});
  };
  for (const State& state : locations_) {
    add(state.stack, {});
    add(state.operations, {});
    for (const Membership& membership : state.teams) {
      items.push_back({&membership.begin, {}, false, membership.is_master ? &membership : nullptr, 0});
      add(membership.stack, {});
    }
  }
  for (const auto& [key, task] : tasks_) {
    if (task.create) items.push_back({&*task.create, key, true, nullptr, 0});
    add(task.stack, key);
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.held->number < b.held->number; });
  return items;
}

void OpenState::go_to(LocationRef location, const Owner& to, std::uint64_t time, std::vector<Owner>& current,
                      const Tell& tell) const {
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
  tell(location, event, {});
}

void OpenState::tell_openings(std::uint64_t time, const Tell& tell) {
  std::vector<Owner> current(locations_.size());
  const auto ahead = done_ahead();
  std::vector<Item> all = items();
  for (const auto& one : ahead) all.push_back({&one.first, {}, false, nullptr, one.second});
  std::stable_sort(all.begin(), all.end(),
                   [](const Item& a, const Item& b) { return a.held->number < b.held->number; });
  for (const Item& item : all) {
    const LocationRef location = item.held->location;
    Event event = item.held->event;
    event.time = time;
    if (item.held->over) {
      ++locations_[location].joins;
      continue;
    }
    if (event.type == EventType::mpi_collective_begin) {
      locations_[location].collective = event;
      continue;
    }
    if (!item.is_task && event.type != EventType::team_begin) go_to(location, item.owner, time, current, tell);
    if (event.type == EventType::team_begin) current[location].reset();
    tell(location, event, item.held->attributes);
    event.type = EventType::leave;
    for (std::uint64_t told = 1; told <= item.times; ++told) {
      tell(location, event, {});
      if (told == item.times) break;
      event.type = EventType::enter;
      tell(location, event, {});
      event.type = EventType::leave;
    }
  }
  for (LocationRef location = 0; location < locations_.size(); ++location)
    go_to(location, locations_[location].current, time, current, tell);
}

bool OpenState::goes_on(LocationRef location, const Event& event, std::optional<Event>& first) {
  State& state = locations_[location];
  if (event.type == EventType::thread_join && state.joins != 0) {
    --state.joins;
    return false;
  }
  if (event.type != EventType::mpi_collective_end || !state.collective) return true;
  first = state.collective;
  first->time = event.time;  // others may have been told since
  state.collective.reset();
  return true;
}

void OpenState::tell_closings(std::uint64_t time, const Tell& tell) const {
  std::vector<Owner> current;
  std::vector<std::vector<Owner>> forks;
  for (const State& state : locations_) {
    current.push_back(state.current);
    forks.push_back(state.forks);
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
    go_to(location, item->owner, time, current, tell);
    event->time = time;
    if (item->master != nullptr) tell_absent(*item->master, time, tell);
    tell(location, *event, {});
    if (item->is_task) go_to(location, {}, time, current, tell);
    if (event->type == EventType::team_end)
      current[location] = item->master != nullptr && !forks[location].empty() ? forks[location].back() : Owner{};
    if (event->type == EventType::thread_join && !forks[location].empty()) forks[location].pop_back();
  }
}

}  // namespace tracer::report
