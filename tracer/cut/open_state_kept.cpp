// SPDX-License-Identifier: BSD-3-Clause
// What is open at a moment, as bytes and back (docs/formats/index.md). The numbers of events are counted anew: their
// order is what matters.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tracer/cut/kept.hpp"
#include "tracer/cut/open_state.hpp"

namespace tracer::report {

class OpenState::Keeper {
 public:
  Keeper(const OpenState& state, std::string& out) : state_{state}, out_{out} {}
  void keep() {
    for (const State& one : state_.locations_) number(one);
    for (const auto& one : state_.tasks_) number(one.second);
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    put_number(out_, numbers_.size());
    std::size_t next = 0;  // locations of which nothing is open are left out
    for (std::size_t i = 0; i < state_.locations_.size(); ++i) {
      if (is_empty(state_.locations_[i])) continue;
      put_number(out_, i - next + 1);
      next = i + 1;
      put(state_.locations_[i]);
    }
    put_number(out_, 0);
    put_number(out_, state_.tasks_.size());
    for (const auto& one : state_.tasks_) put(one.first, one.second);
    put_number(out_, state_.begun_.size());
    for (const auto& one : state_.begun_) {
      put_number(out_, one.first);
      put_number(out_, one.second.list().size());
      for (const LocationRef location : one.second.list()) put_number(out_, location);
    }
  }

 private:
  static bool is_empty(const State& state) {
    return state.stack.empty() && state.teams.empty() && state.forks.empty() && state.joining == 0 &&
           state.operations.empty() && !state.off && !state.current;
  }
  void number(const Stack& stack) {
    for (const Held& one : stack) numbers_.push_back(one.number);
  }
  void number(const State& state) {
    number(state.stack);
    number(state.operations);
    for (const Membership& membership : state.teams) {
      numbers_.push_back(membership.begin.number);
      number(membership.stack);
      for (const auto& one : membership.done) numbers_.push_back(one.second.number);
    }
  }
  void number(const ExplicitTask& task) {
    if (task.create) numbers_.push_back(task.create->number);
    number(task.stack);
  }
  void put_place(std::uint64_t number) {
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    put_number(out_, static_cast<std::uint64_t>(found - numbers_.begin()));
  }
  void put(const Held& held, LocationRef at) {
    put_place(held.number);
    put_number(out_, std::uint64_t{held.over} + (held.location == at ? 0 : 2));
    if (held.location != at) put_number(out_, held.location);
    put_event(out_, held.event, held.attributes);
  }
  void put(const Stack& stack, LocationRef at) {
    put_number(out_, stack.size());
    for (const Held& one : stack) put(one, at);
  }
  void put(const Owner& owner) {
    put_number(out_, owner ? 1 : 0);
    if (owner) put(*owner);
  }
  void put(const TaskKey& key) {
    put_number(out_, std::get<0>(key));
    put_number(out_, std::get<1>(key));
    put_number(out_, std::get<2>(key));
  }
  void put(const Membership& membership, LocationRef at) {
    put_number(out_, (membership.is_master ? 1 : 0) + (membership.has_entered ? 2 : 0));
    put_number(out_, membership.region);
    put(membership.begin, at);
    put(membership.stack, at);
    put_number(out_, membership.done.size());
    for (const auto& one : membership.done) {
      put_number(out_, one.first);
      put_number(out_, one.second.times);
      put_number(out_, one.second.region);
      put_place(one.second.number);
    }
  }
  void put(const State& state) {
    const auto at = static_cast<LocationRef>(&state - state_.locations_.data());
    put(state.stack, at);
    put(state.operations, at);
    put_number(out_, state.teams.size());
    for (const Membership& membership : state.teams) put(membership, at);
    put_number(out_, state.forks.size());
    for (const Owner& owner : state.forks) put(owner);
    put_number(out_, state.joining);
    put_number(out_, state.off ? 1 : 0);
    put(state.current);
  }
  void put(const TaskKey& key, const ExplicitTask& task) {
    put(key);
    put_number(out_, task.at);
    put_number(out_, (task.create ? 1 : 0) + (task.started ? 2 : 0));
    if (task.create) put(*task.create, task.at);
    put(task.stack, task.at);
  }

  const OpenState& state_;
  std::string& out_;
  std::vector<std::uint64_t> numbers_;  ///< of all that is open, in their order
};

class OpenState::Taker {
 public:
  Taker(BytesIn& in, const Definitions& definitions, const std::vector<bool>& wanted)
      : in_{in}, definitions_{definitions}, wanted_{wanted} {}
  void take(OpenState& to) {
    to.events_ = numbers_ = in_.number();
    for (std::uint64_t next = 0; in_.ok();) {
      const std::uint64_t step = in_.number();
      if (step == 0) break;
      next += step;
      if (step > locations() || next > locations()) return in_.refuse();
      const auto at = static_cast<LocationRef>(next - 1);
      State state = get_state(at);
      if (in_.ok() && is_wanted(at)) to.locations_[at] = std::move(state);
    }
    for (std::size_t left = in_.count(); left != 0 && in_.ok(); --left) {
      const TaskKey key = get_key();
      ExplicitTask task = get_task();
      if (in_.ok() && is_wanted(task.at)) to.tasks_.insert_or_assign(key, std::move(task));
    }
    for (std::size_t left = in_.count(); left != 0 && in_.ok(); --left) {
      const CommRef comm = in_.number32();
      Comers begun;
      for (std::size_t members = in_.count(); members != 0 && in_.ok(); --members)
        if (const LocationRef member = get_location(); in_.ok() && is_wanted(member)) begun.add(member);
      if (!begun.list().empty()) to.begun_.insert_or_assign(comm, std::move(begun));
    }
  }

 private:
  std::size_t locations() const { return definitions_.locations.size(); }
  bool is_wanted(LocationRef location) const { return wanted_.empty() || wanted_[location]; }
  LocationRef get_location() {
    const std::uint32_t location = in_.number32();
    if (location >= locations()) in_.refuse();
    return in_.ok() ? location : 0;
  }
  /// From 1 on, as follow() counts.
  std::uint64_t get_place() {
    const std::uint64_t place = in_.number();
    if (place >= numbers_) in_.refuse();
    return place + 1;
  }
  TaskKey get_key() {
    const CommRef comm = in_.number32();
    if (comm >= definitions_.comms.size() && comm != undefined_ref) in_.refuse();
    const std::uint64_t creator = in_.number(), generation = in_.number();
    return {comm, creator, generation};
  }
  Owner get_owner() { return in_.number() != 0 ? Owner{get_key()} : Owner{}; }
  Held get_held(LocationRef at) {
    Held held;
    held.number = get_place();
    const std::uint64_t bits = in_.number();
    held.over = (bits & 1) != 0;
    held.location = (bits & 2) != 0 ? get_location() : at;
    held.event = get_event(in_, definitions_, held.attributes);
    return held;
  }
  Stack get_stack(LocationRef at) {
    Stack stack;
    for (std::size_t left = in_.count(); left != 0 && in_.ok(); --left) stack.push_back(get_held(at));
    return stack;
  }
  Membership get_membership(LocationRef at) {
    Membership membership;
    const std::uint64_t bits = in_.number();
    membership.is_master = (bits & 1) != 0;
    membership.has_entered = (bits & 2) != 0;
    membership.region = in_.number32();
    if (membership.region >= definitions_.regions.size() && membership.region != undefined_ref) in_.refuse();
    membership.begin = get_held(at);
    membership.stack = get_stack(at);
    for (std::uint64_t left = in_.count(), next = 0; left != 0 && in_.ok(); --left) {
      const RegionRef key = in_.number32();
      if (key < next) in_.refuse();  // they are in their order
      next = std::uint64_t{key} + 1;
      Done& done = membership.done[key];
      done.times = in_.number();
      done.region = in_.number32();
      if (done.region >= definitions_.regions.size()) in_.refuse();
      done.number = get_place();
    }
    return membership;
  }
  State get_state(LocationRef at) {
    State state;
    state.stack = get_stack(at);
    state.operations = get_stack(at);
    for (std::size_t left = in_.count(); left != 0 && in_.ok(); --left) state.teams.push_back(get_membership(at));
    for (std::size_t left = in_.count(); left != 0 && in_.ok(); --left) state.forks.push_back(get_owner());
    state.joining = static_cast<std::size_t>(in_.number());
    if (state.joining > state.forks.size()) in_.refuse();
    state.off = in_.number() != 0;
    state.current = get_owner();
    return state;
  }
  ExplicitTask get_task() {
    ExplicitTask task;
    task.at = get_location();
    const std::uint64_t bits = in_.number();
    task.started = (bits & 2) != 0;
    if ((bits & 1) != 0) task.create = get_held(task.at);
    task.stack = get_stack(task.at);
    return task;
  }

  BytesIn& in_;
  const Definitions& definitions_;
  const std::vector<bool>& wanted_;
  std::uint64_t numbers_ = 0;
};

void OpenState::keep(std::string& out) const {
  Keeper{*this, out}.keep();
}

void OpenState::take(BytesIn& in, const Definitions& definitions, const std::vector<bool>& wanted) {
  Taker{in, definitions, wanted}.take(*this);
}

}  // namespace tracer::report
