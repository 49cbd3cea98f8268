// SPDX-License-Identifier: BSD-3-Clause
// See modeller.hpp.
#include "tracer/what_if/modeller.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tracer/replay/attributes.hpp"

namespace tracer::report {

Modeller::Modeller(const Definitions& definitions, const Replay& replay, const std::vector<Scenario>& scenarios,
                   std::uint64_t task_overhead, RankModel& ranks)
    : definitions_{definitions}, replay_{replay}, task_overhead_{task_overhead}, ranks_{ranks}, members_{definitions} {
  states_.resize(definitions.locations.size());
  balanced_matched_.assign(scenarios.size() + 1, false);
  lock_matched_ = balanced_matched_;
  schedule_ = find_parameter(definitions, "schedule");
  iterations_ = find_parameter(definitions, "iterations");
  Scenario as_recorded;
  all_.push_back(as_recorded);
  all_.insert(all_.end(), scenarios.begin(), scenarios.end());
  for (std::size_t s = 0; s < all_.size(); ++s) {
    std::vector<bool>& balanced = balanced_.emplace_back(definitions.regions.size());
    for (std::size_t r = 0; r < balanced.size(); ++r)
      balanced[r] = !all_[s].balanced.empty() && names(r, all_[s].balanced);
    std::vector<bool>& without = without_.emplace_back(definitions.regions.size());
    for (std::size_t r = 0; r < without.size(); ++r)
      without[r] = !all_[s].without_lock.empty() && names(r, all_[s].without_lock);
    locks_.emplace_back();
  }
  for (LocationRef location = 0; location < definitions.locations.size(); ++location)
    if (const std::uint32_t rank = ranks.world().rank_of(location); rank != undefined_ref)
      process_of(location).rank = rank;
}

Modeller::Process& Modeller::process_of(LocationRef location) {
  const std::uint32_t number = location < states_.size() ? replay_.process_of(location) : 0;
  if (number >= processes_.size()) processes_.resize(number + 1);
  Process& process = processes_[number];
  if (process.in_regions.empty()) process.in_regions.resize(all_.size());
  return process;
}

void Modeller::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  Process& process = process_of(location);
  process.first = std::min(process.first, event.time);
  process.last = std::max(process.last, event.time);
  if (event.type == EventType::measurement_on_off) process.paused.set(event.a == 0, event.time);
  State& state = states_[location];
  if (state.model && state.loop != none && replay_.location(location).contexts.size() == state.depth) {
    Loop& loop = state.model->loops[state.loop];
    if (event.type == EventType::parameter_string && event.ref == schedule_ && event.a < definitions_.strings.size()) {
      const std::string& schedule = definitions_.strings[event.a];
      loop.is_static = schedule == "static" || schedule == "unknown";
    }
    if (event.type == EventType::parameter_uint && event.ref == iterations_)
      loop.iterations = std::max(loop.iterations, event.a);
  }
  if (event.type == EventType::acquire_lock) {
    acquire(state, location, replay_.in_process(location, lock_number(event)));
  } else if (event.type == EventType::release_lock) {
    release(state, location, replay_.in_process(location, lock_number(event)));
  }
}

/// A lock inside of another one parts what the other is held for in two.
void Modeller::acquire(State& state, LocationRef location, const OwnNumber& lock) {
  const auto& stack = replay_.location(location).current->stack;
  const auto number = lock_numbers_.try_emplace(lock, static_cast<std::uint32_t>(lock_numbers_.size())).first->second;
  for (std::size_t s = 0; s < all_.size(); ++s) {
    if (locks_[s].size() <= number) locks_[s].resize(number + 1);
    if (stack.empty() || !without_[s][stack.back().region]) continue;
    locks_[s][number] = lock_matched_[s] = true;
  }
  if (!state.held.empty()) put_held(state, location, state.held.back());
  state.held.push_back({number, 0});
}

void Modeller::release(State& state, LocationRef location, const OwnNumber& lock) {
  const auto known = lock_numbers_.find(lock);
  const auto held = std::find_if(state.held.rbegin(), state.held.rend(), [&](const Held& one) {
    return known != lock_numbers_.end() && one.lock == known->second;
  });
  if (held == state.held.rend()) return in_vain_.add(state.held.size());
  put_held(state, location, *held);
  state.held.erase(std::next(held).base());
}

void Modeller::put_held(State& state, LocationRef location, Held& held) {
  const std::uint64_t ns = std::exchange(held.ns, 0);
  if (!state.model || ns == 0) return;
  if (state.loop != none) {
    state.model->loops[state.loop].locks.push_back({held.lock, ns});
  } else {
    put(state, *replay_.location(location).current, {Do::lock, held.lock, ns});
  }
}

void Modeller::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  State& state = states_[location];
  if (!state.model || !is_on_path(activity)) return;
  if (replay_.location(location).contexts.size() != state.depth) return;  // inside a nested team: its wall counts
  work_ += to - from;
  if (add_work(state, task, to - from) && !task.is_explicit && state.single == none) outside_ += to - from;
}

/// It is an implicit task, or undeferred in one.
bool Modeller::is_inside_implicit(const Task& task) {
  const Task* outer = &task;
  while (outer->undeferred && outer->parent != nullptr) outer = outer->parent.get();
  return !outer->is_explicit;
}

/// True: it is in no lock and no loop.
bool Modeller::add_work(State& state, const Task& task, std::uint64_t ns) {
  if (!state.held.empty()) {
    state.held.back().ns += ns;
  } else if (state.loop != none && is_inside_implicit(task)) {
    state.model->loops[state.loop].by_rank[state.rank] += ns;
    if (state.in_chunk) state.chunk_ns += ns;
  } else if (Ops* ops = ops_of(state, task)) {
    if (!ops->empty() && ops->back().what == Do::work) {
      ops->back().ns += ns;
    } else {
      ops->push_back({Do::work, 0, ns});
    }
    return true;
  }
  return false;
}

void Modeller::enter(LocationRef location, Task& task, const Frame& frame) {
  State& state = states_[location];
  const Directive construct = replay_.classes()[frame.region].construct;
  if (construct == Directive::mpi && replay_.location(location).contexts.empty()) ranks_.enter(location, frame.enter);
  if (!state.model || replay_.location(location).contexts.size() != state.depth) return;
  if (construct == Directive::task_wait || construct == Directive::task_group) {
    if (!nested_wait(task)) put(state, task, {Do::wait, 0, 0});
    return;
  }
  if (task.is_explicit) return;
  RegionModel& model = *state.model;
  switch (construct) {
    case Directive::barrier:
    case Directive::implicit_barrier:
      if (!nested_wait(task)) put(state, task, {Do::barrier, 0, 0});
      break;
    case Directive::loop:
    case Directive::sections:
    case Directive::workshare: {
      const std::uint32_t number = state.loops++;
      if (model.loops.size() <= number) model.loops.resize(number + 1);
      Loop& loop = model.loops[number];
      loop.region = frame.region;
      loop.is_static = loop.is_static && construct == Directive::loop;
      loop.is_sections = construct == Directive::sections;
      loop.by_rank.resize(model.size);
      put(state, task, {Do::loop, number, 0});
      state.loop = number;
      state.loop_region = frame.region;
      mark(frame.region);
      break;
    }
    case Directive::single: {
      const std::uint32_t number = state.singles++;
      if (model.singles.size() <= number) model.singles.resize(number + 1);
      put(state, task, {Do::single, number, 0});
      state.single = number;
      state.single_region = frame.region;
      break;
    }
    default:
      if (state.loop != none && is_chunk(frame.region)) {
        state.in_chunk = true;
        state.chunk_begin = frame.enter;
        state.chunk_ns = 0;
      }
      break;
  }
}

/// What a thread takes at once.
bool Modeller::is_chunk(RegionRef region) const {
  return definitions_.regions[region].role == RegionRole::section ||
         replay_.classes()[region].label.starts_with("loop chunk");
}

void Modeller::end_chunk(State& state) {
  std::vector<Chunk>& chunks = state.model->loops[state.loop].chunks;
  if (chunks.size() < most_chunks) chunks.push_back({state.chunk_begin, state.chunk_ns});
  state.in_chunk = false;
}

void Modeller::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  State& state = states_[location];
  if (replay_.classes()[frame.region].construct == Directive::mpi && replay_.location(location).contexts.empty())
    ranks_.leave(location, time);
  if (task.is_explicit || !state.model) return;
  if (state.loop != none && state.in_chunk && is_chunk(frame.region)) end_chunk(state);
  if (state.loop != none && frame.region == state.loop_region) {
    std::vector<std::uint64_t>& left = state.model->loops[state.loop].left;
    left.resize(std::max<std::size_t>(left.size(), state.rank + 1));
    left[state.rank] = time;
    state.loop = none;
  }
  if (state.single != none && frame.region == state.single_region) state.single = none;
}

void Modeller::task_created(LocationRef location, Task& creator, Task& task) {
  State& state = states_[location];
  if (!state.model) return;
  ++tasks_;
  const auto number = static_cast<std::uint32_t>(state.model->tasks.size());
  state.model->tasks.emplace_back();
  (*state.numbers)[&task] = number;
  put(state, creator, {task.undeferred ? Do::run : Do::create, number, 0});
}

void Modeller::task_dependence(Task& source, Task& sink) {
  if (!sink.team) return;
  const auto team = teams_.find(sink.team.get());
  if (team == teams_.end()) return;
  const auto from = team->second->numbers.find(&source), to = team->second->numbers.find(&sink);
  if (from == team->second->numbers.end() || to == team->second->numbers.end()) return;
  team->second->model.tasks[to->second].after.push_back(from->second);
}

void Modeller::team_begun(LocationRef location, Team& team, Task& implicit) {
  State& state = states_[location];
  if (replay_.location(location).contexts.size() != 1) return;  // a nested one
  auto& known = teams_[&team];
  if (!known) {
    known = std::make_shared<Known>();
    known->model.size = std::max<std::uint32_t>(team.size, 1);
    known->model.tasks.resize(known->model.size);
    known->paused_before = process_of(location).paused.value(team.begin);
  }
  const std::uint32_t rank = rank_of(location, team.comm);
  if (rank >= known->model.size) return;
  state = State{};
  state.known = known;
  state.model = &known->model;
  state.numbers = &known->numbers;
  state.rank = rank;
  state.depth = 1;
  known->numbers[&implicit] = rank;
}

/// The thread's number in the team, which is its place in the communicator: a static loop gives parts by it.
std::uint32_t Modeller::rank_of(LocationRef location, CommRef comm) {
  if (comm >= members_.size()) return none;
  auto& ranks = ranks_of_groups_[members_.group_of(comm)];
  if (ranks.empty())
    for (const LocationRef member : members_[comm]) ranks.emplace(member, static_cast<std::uint32_t>(ranks.size()));
  const auto found = ranks.find(location);
  return found == ranks.end() ? none : found->second;
}

void Modeller::team_left(LocationRef location, Team& team, Task&) {
  State& state = states_[location];
  if (replay_.location(location).contexts.empty()) {
    state = State{};
  } else if (state.model && location == team.master && replay_.location(location).contexts.size() == 1) {
    // What a nested team took is work of the thread that began it, where it began it.
    if (team.end > team.begin) add_work(state, *replay_.location(location).current, team.end - team.begin);
  }
}

void Modeller::team_ended(Team& team) {
  const auto found = teams_.find(&team);
  if (found == teams_.end()) return;
  if (team.helps) {  // no region of the program's: what it does goes on beside that
    teams_.erase(found);
    return;
  }
  RegionModel& model = found->second->model;
  largest_ = std::max(largest_, model.size);
  bool& unseen = has_unseen_chunks_[team.region];
  for (const Loop& loop : model.loops) unseen |= !loop.is_static && !loop.is_sections && loop.chunks.empty();
  infer_chunks(model);
  Process& process = process_of(team.master);
  const std::uint64_t whole = team.end - team.begin;
  const std::uint64_t took = whole - std::min(whole, process.paused.value(team.end) - found->second->paused_before);
  process.recorded_in_regions += took;
  std::vector<std::int64_t> longer;
  for (std::size_t s = 0; s < all_.size(); ++s) {
    Conditions conditions;
    conditions.threads = model.size == 1 && s == 0 ? 1 : all_[s].threads;
    conditions.balanced = balanced_[s];
    conditions.without = locks_[s];
    conditions.task_overhead =
        all_[s].task_overhead >= 0 ? static_cast<std::uint64_t>(all_[s].task_overhead) : task_overhead_;
    const std::uint64_t simulated = simulate(model, conditions);
    process.in_regions[s] += simulated;
    longer.push_back(static_cast<std::int64_t>(simulated) - static_cast<std::int64_t>(took));
    if (s == 0) off_[team.region] += longer.back();
  }
  if (process.rank != undefined_ref) ranks_.region(process.rank, team.begin, longer);
  teams_.erase(found);
}

void Modeller::mark(RegionRef region) {
  for (std::size_t s = 0; s < all_.size(); ++s)
    if (region < balanced_[s].size() && balanced_[s][region]) balanced_matched_[s] = true;
}

/// The runtime reports a wait and the waiting in it: one is enough.
bool Modeller::nested_wait(const Task& task) const {
  if (task.stack.size() < 2) return false;
  const Directive outer = replay_.classes()[task.stack[task.stack.size() - 2].region].construct;
  return outer == Directive::barrier || outer == Directive::implicit_barrier || outer == Directive::task_wait ||
         outer == Directive::task_group;
}

Ops* Modeller::ops_of(State& state, const Task& task) {
  const auto number = state.numbers->find(&task);
  if (number == state.numbers->end()) return nullptr;
  if (!task.is_explicit && state.single != none) return &state.model->singles[state.single].ops;
  return &state.model->tasks[number->second].ops;
}

void Modeller::put(State& state, const Task& task, Op op) {
  if (Ops* ops = ops_of(state, task)) ops->push_back(op);
}

}  // namespace tracer::report
