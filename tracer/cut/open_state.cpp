// SPDX-License-Identifier: BSD-3-Clause
// See open_state.hpp.
#include "tracer/cut/open_state.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "tracer/replay/mpi/payload.hpp"

namespace tracer::report {
namespace {

bool is_parameter(EventType type) {
  return type == EventType::parameter_int || type == EventType::parameter_uint || type == EventType::parameter_string;
}

/// Whether `end` is the end of what `begin` opened, of what opens and closes like brackets.
bool is_end_of(const Event& begin, const Event& end) {
  switch (end.type) {
    case EventType::leave:
      return begin.type == EventType::enter && begin.ref == end.ref;
    case EventType::release_lock:
      return begin.type == EventType::acquire_lock && lock_number(begin) == lock_number(end);
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

/// That it began, or was issued.
bool is_of_operation(const Event& open, const Event& end) {
  return (open.type == EventType::io_operation_begin || open.type == EventType::io_operation_issued) &&
         open.ref == end.ref && open.b == end.b;
}

}  // namespace

OpenState::OpenState(const Definitions& definitions)
    : members_{definitions}, classes_{classify(definitions)}, locations_(definitions.locations.size()) {
  for (const Location& location : definitions.locations) {
    used_.push_back(location.used);
    process_.push_back(location.group);
  }
}

/// Another location may have ended it; then it begins again here. One location at a time keeps where it is.
OpenState::ExplicitTask& OpenState::task_of(State& state) {
  const auto [found, is_new] = tasks_.try_emplace(*state.current);
  ExplicitTask& task = found->second;
  if (is_new) task.at = static_cast<LocationRef>(&state - locations_.data());
  if (task.known_to == nullptr) {
    task.known_to = &state;
    state.task = &task;
  }
  return task;
}

void OpenState::go_on(State& state, const Owner& owner) {
  if (state.task != nullptr) state.task->known_to = nullptr;
  state.task = nullptr;
  state.current = owner;
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
      if (!state.current && !state.teams.empty()) note_region(state.teams.back(), event.ref);
      return hold(stack, location, event, attributes);
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
      if (event.type == EventType::program_end) state.off = false;  // nothing is behind it
      [[fallthrough]];
    case EventType::mpi_collective_end:
    case EventType::mpi_rma_collective_end: {
      const auto begin =
          std::find_if(stack.rbegin(), stack.rend(), [&](const Held& held) { return is_end_of(held.event, event); });
      if (begin == stack.rend()) return in_vain_.add(stack.size());
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
    case EventType::io_create_handle:
    case EventType::io_operation_begin:
    case EventType::io_operation_issued:
      return hold(state.operations, location, event, attributes);
    case EventType::rma_op_complete_blocking:
    case EventType::mpi_collective_complete:
    case EventType::mpi_irecv:
    case EventType::mpi_request_cancelled:
    case EventType::comm_destroy:
    case EventType::mpi_window_destroy:
    case EventType::io_destroy_handle:
    case EventType::io_operation_complete:
    case EventType::io_operation_cancelled:
      return close_operation(location, event, attributes);
    case EventType::team_begin:
      return begin_team(location, state, event, attributes);
    case EventType::team_end:
      return end_team(state);
    case EventType::measurement_on_off:
      state.off = event.a == 0;
      return;
    case EventType::task_create:
    case EventType::task_switch:
    case EventType::task_complete:
      return follow_task(location, state, event, attributes);
    default:
      return;
  }
}

void OpenState::note_done(State& state, const Event& leave) {
  if (state.current || state.teams.empty() || leave.ref >= classes_.size()) return;
  Membership& membership = state.teams.back();
  const Directive directive = classes_[leave.ref].construct;
  const auto is_open_barrier = [this](const Held& held) {
    return held.event.type == EventType::enter && held.event.ref < classes_.size() &&
           is_barrier(classes_[held.event.ref].construct);
  };
  RegionRef key = leave.ref;
  if (is_barrier(directive)) {
    key = undefined_ref;
    const Stack& stack = membership.stack;
    if (std::any_of(stack.begin(), stack.end(), is_open_barrier)) return;  // this was the wait inside of it
  } else if (!is_shared(directive) && directive != Directive::single) {
    return;
  }
  Done& done = membership.done[key];
  ++done.times;
  done.number = events_;
  done.region = leave.ref;
}

/// A request may end on another thread of its process.
void OpenState::close_operation(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const std::uint64_t request = payload_value(attributes);
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
      case EventType::io_destroy_handle:
        return open.type == EventType::io_create_handle && open.ref == event.ref;
      case EventType::io_operation_complete:
      case EventType::io_operation_cancelled:
        return is_of_operation(open, event);
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
    return std::erase_if(operations, is_closed) != 0;
  };
  if (close_on(location) || event.type == EventType::rma_op_complete_blocking) return;
  for (LocationRef other = 0; other < locations_.size(); ++other)
    if (process_[other] == process_[location] && close_on(other)) return;
}

bool OpenState::has_teamless_fork(const State& state) {
  const auto masters = std::count_if(state.teams.begin(), state.teams.end(),
                                     [](const Membership& membership) { return membership.is_master; });
  return state.forks.size() > static_cast<std::size_t>(masters) + state.joining;
}

void OpenState::begin_team(LocationRef location, State& state, const Event& event,
                           std::span<const EventAttribute> attributes) {
  const bool is_master = has_teamless_fork(state);
  Membership& membership = state.teams.emplace_back();
  membership.is_master = is_master;
  membership.begin = {events_, location, event, {attributes.begin(), attributes.end()}};
  go_on(state, {});
  Comers& begun = begun_[event.ref];
  const bool is_again = begun.has(location);
  if (begun.master != location && (is_again || is_master) && is_master_in(begun.master, event.ref))
    is_by_location_ = false;
  if (is_again) begun.clear();  // another fork's
  begun.add(location);
  if (is_master) begun.master = location;
}

bool OpenState::is_master_in(LocationRef location, CommRef comm) const {
  if (location >= locations_.size()) return false;
  const std::vector<Membership>& teams = locations_[location].teams;
  return std::any_of(teams.begin(), teams.end(), [comm](const Membership& membership) {
    return membership.is_master && membership.begin.event.ref == comm;
  });
}

bool OpenState::is_forking(LocationRef location) const {
  const State& state = locations_[location];
  if (has_teamless_fork(state)) return true;
  if (state.teams.empty() || state.current) return false;
  const Membership& innermost = state.teams.back();
  return innermost.is_master && !innermost.has_entered && innermost.stack.empty();
}

bool OpenState::leads_into_team(const Event& event) const {
  return event.type == EventType::team_begin || event.type == EventType::measurement_on_off ||
         (event.type == EventType::enter && is_parallel(event.ref));
}

void OpenState::give_up_region(LocationRef location) {
  State& state = locations_[location];
  if (!state.teams.empty() && !has_teamless_fork(state)) state.teams.back().has_entered = true;
}

void OpenState::note_region(Membership& membership, RegionRef region) const {
  if (!membership.has_entered && is_parallel(region)) membership.region = region;
  membership.has_entered = true;
}

bool OpenState::is_region_over(const Membership& membership) {
  if (membership.region == undefined_ref) return false;
  const Stack& stack = membership.stack;
  return stack.empty() || stack.front().event.type != EventType::enter || stack.front().event.ref != membership.region;
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
  go_on(state, is_master && !state.forks.empty() ? state.forks.back() : Owner{});
  if (!is_master) return;
  ++state.joining;
  Stack& stack = stack_of(state);
  const auto fork = std::find_if(stack.rbegin(), stack.rend(),
                                 [](const Held& held) { return held.event.type == EventType::thread_fork; });
  in_vain_.add(static_cast<std::size_t>(fork - stack.rbegin()));
  if (fork != stack.rend()) fork->over = true;
}

void OpenState::follow_task(LocationRef location, State& state, const Event& event,
                            std::span<const EventAttribute> attributes) {
  const TaskKey key{event.ref, event.a, event.b};
  if (event.type == EventType::task_create) {
    const auto [found, is_new] = tasks_.try_emplace(key);
    ExplicitTask& task = found->second;
    if (!is_new && task.at != location) is_by_location_ = false;
    if (task.known_to != nullptr) task.known_to->task = nullptr;
    task = {};
    task.create = Held{events_, location, event, {attributes.begin(), attributes.end()}};
    task.at = location;
  } else if (event.type == EventType::task_complete) {
    if (const auto task = tasks_.find(key); task != tasks_.end()) {
      if (task->second.at != location) is_by_location_ = false;
      if (task->second.known_to != nullptr) task->second.known_to->task = nullptr;
      tasks_.erase(task);
    }
    if (state.current == key) go_on(state, {});
  } else if (event.b == 0) {
    go_on(state, {});
  } else {
    go_on(state, key);
    const auto [found, is_new] = tasks_.try_emplace(key);
    ExplicitTask& task = found->second;
    if (!is_new && task.at != location) is_by_location_ = false;
    task.started = true;
    task.at = location;
  }
}

}  // namespace tracer::report
