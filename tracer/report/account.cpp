// SPDX-License-Identifier: BSD-3-Clause
// Charges each interval of each thread to a place while the trace is replayed.
#include "tracer/report/account.hpp"
#include "tracer/virtual_location.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace tracer::report {
namespace {

constexpr std::size_t most_stretches = 64;
/// Creating a task takes libomp between 0.1 and 1 us; more in a gap is the program's own work.
constexpr std::uint64_t most_creation_ns = 2'000;

bool is_wait_of_barrier(Construct construct) {
  return construct == Construct::barrier || construct == Construct::implicit_barrier;
}

void add_to(std::vector<std::pair<std::uint32_t, std::uint64_t>>& spent, std::uint32_t region, std::uint64_t ns) {
  for (auto& [known, sum] : spent) {
    if (known == region) {
      sum += ns;
      return;
    }
  }
  spent.emplace_back(region, ns);
}

std::string property_of(const Location& location, std::string_view name) {
  for (const Property& property : location.properties)
    if (property.name == name) return property.value;
  return {};
}

}  // namespace

const char* name_of(Place place) noexcept {
  constexpr const char* names[] = {"work", "serial",      "serial_idle", "imbalance", "starvation", "tasking",
                                   "team", "locks",       "exclusive",   "device",    "mpi",        "unused",
                                   "tool", "descheduled", "absent",      "unknown"};
  static_assert(sizeof names / sizeof names[0] == places);
  return names[static_cast<std::size_t>(place)];
}

const char* text_of(Place place) noexcept {
  constexpr const char* texts[] = {"work in parallel regions",
                                   "serial work",
                                   "idle while the program is serial",
                                   "imbalance: waiting at barriers",
                                   "starving for tasks",
                                   "creating and scheduling tasks",
                                   "start and join of teams",
                                   "waiting for locks",
                                   "waiting for critical, atomic, ordered",
                                   "waiting for devices",
                                   "inside MPI",
                                   "not in the team",
                                   "the tool itself",
                                   "without a processor",
                                   "not there yet, or ended",
                                   "unknown"};
  static_assert(sizeof texts / sizeof texts[0] == places);
  return texts[static_cast<std::size_t>(place)];
}

Accountant::Accountant(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions}, replay_{replay}, facts_{run_facts(definitions)} {
  states_.resize(definitions.locations.size());
  begin_ = definitions.clock.offset;
  if (facts_.start != 0 && (begin_ == 0 || facts_.start <= begin_)) begin_ = facts_.start;
  bool first = true;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Location& location = definitions.locations[i];
    if (location.kind != LocationKind::cpu_thread || is_virtual(location)) continue;
    states_[i].counted = true;
    const std::string type = property_of(location, "TRACER::THREAD_TYPE");
    // Threads that the program itself made were not there before their first event; workers would have been of use.
    states_[i].worker = !first && type != "initial" && !location.name.starts_with("Initial thread");
    first = false;
  }
  for (std::size_t i = 0; i < definitions.parameters.size(); ++i) {
    if (definitions.parameters[i].name == "schedule") schedule_ = static_cast<std::uint32_t>(i);
    if (definitions.parameters[i].name == "iterations") iterations_ = static_cast<std::uint32_t>(i);
  }
}

AccountRow& Accountant::detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel) {
  AccountRow& row = details_[{static_cast<std::uint32_t>(place), region, cause, parallel}];
  row.place = place;
  row.region = region;
  row.cause = cause;
  row.parallel = parallel;
  return row;
}

void Accountant::add_detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel, std::uint64_t ns,
                            std::uint64_t at, std::uint32_t threads) {
  if (ns == 0) return;
  AccountRow& row = detail(place, region, cause, parallel);
  row.ns += ns;
  ++row.count;
  row.threads = std::max(row.threads, threads);
  if (ns > row.longest) {
    row.longest = ns;
    row.longest_at = at;
  }
}

RegionRef Accountant::parallel_of(const State& state) const {
  return state.members.empty() ? undefined_ref : state.members.back().team->region;
}

/// The integrals of what the location takes part in, at its last event: what is between two events follows from them.
void Accountant::refresh(State& state, std::uint64_t time) {
  state.teams_now = active_.value(time);
  if (state.members.empty()) return;
  Member& member = state.members.back();
  const TeamState& team = state_of(*member.team);
  member.queued_from = team.queued.value(time);
  member.busy_from = team.busy.value(time);
}

void Accountant::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  State& state = states_[location];
  if (!state.counted) return;
  now_ = event.time;
  if (!state.seen) {
    state.seen = true;
    if (begin_ == 0) begin_ = event.time;  // the very first event of a trace that does not say when it begins
    const std::uint64_t before = event.time - std::min(begin_, event.time);
    if (state.worker) {
      state.idle = true;
      state.idle_from = std::min(begin_, event.time);
    } else {
      charge(state, location == 0 ? Place::serial : Place::absent, before);
    }
  }
  refresh(state, event.time);
  switch (event.type) {
    case EventType::thread_fork:
      state.forking = true;
      state.teams_at_fork.push_back(active_.value(event.time));
      if (state.members.empty()) {
        if (active_.count() == 0 && event.time > std::max(begin_, serial_since_)) {
          const std::uint64_t from = serial_since_ == 0 ? begin_ : serial_since_;
          if (stretches_.size() >= 2 * most_stretches) {
            std::nth_element(stretches_.begin(), stretches_.begin() + most_stretches, stretches_.end(),
                             [](const auto& a, const auto& b) { return a.to - a.from > b.to - b.from; });
            stretches_.resize(most_stretches);
          }
          stretches_.push_back({from, event.time, serial_after_, undefined_ref});
        }
        active_.add(1, event.time);
      }
      break;
    case EventType::thread_join:
      state.joining = false;
      if (state.members.empty() && !state.helper)
        add_detail(Place::team, serial_after_, undefined_ref, serial_after_, state.team_ns, event.time, 0);
      state.team_ns = 0;
      if (!state.teams_at_fork.empty()) state.teams_at_fork.pop_back();
      if (state.members.empty() && !state.helper) {
        active_.add(-1, event.time);
        if (active_.count() == 0) serial_since_ = event.time;
      }
      break;
    case EventType::buffer_flush:
      state.tool_until = std::max(state.tool_until, event.a);
      break;
    case EventType::parameter_string:
      if (event.ref == schedule_ && event.a < definitions_.strings.size()) {
        const auto& stack = replay_.location(location).current->stack;
        if (!stack.empty()) loops_[stack.back().region].schedules.insert(definitions_.strings[event.a]);
      }
      break;
    case EventType::parameter_uint:
      if (event.ref == iterations_) {
        const auto& stack = replay_.location(location).current->stack;
        if (!stack.empty()) {
          LoopFacts& loop = loops_[stack.back().region];
          loop.iterations = std::max(loop.iterations, event.a);
        }
      }
      break;
    default:
      break;
  }
  if (event.type == EventType::acquire_lock || event.type == EventType::release_lock) {
    const auto& stack = replay_.location(location).current->stack;
    const RegionRef region = stack.empty() ? undefined_ref : stack.back().region;
    if (event.type == EventType::acquire_lock) {
      const auto holder = holders_.find(event.a);
      if (state.lock_from != 0 && region != undefined_ref) {
        const Place place = definitions_.regions[region].role == RegionRole::critical ||
                                    definitions_.regions[region].role == RegionRole::atomic ||
                                    definitions_.regions[region].role == RegionRole::ordered
                                ? Place::exclusive
                                : Place::locks;
        add_detail(place, region, holder == holders_.end() ? undefined_ref : holder->second, parallel_of(state),
                   event.time - std::min(event.time, state.lock_from), event.time,
                   state.members.empty() ? 1 : state.members.back().team->size);
      }
      holders_[event.a] = region;
    }
    state.lock_from = 0;
  }
}

void Accountant::work(State& state, Task& task, std::uint64_t ns) {
  if (task.is_explicit) task_work_ += ns;
  if (state.members.empty()) return;
  Member& member = state.members.back();
  RegionRef region = task.stack.empty() ? task.region : task.stack.back().region;
  if (region == undefined_ref) region = member.team->region;
  if (task.is_explicit && task.region != undefined_ref) region = task.region;
  add_to(member.spent, region, ns);
}

void Accountant::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  State& state = states_[location];
  if (!state.counted || state.helper) return;
  if (state.tool_until > from) {
    const std::uint64_t until = std::min(to, state.tool_until);
    charge(state, Place::tool, until - from);
    from = until;
  }
  const std::uint64_t ns = to - from;
  if (ns == 0) return;
  const bool outside = state.members.empty();
  if (outside && state.worker && activity == Activity::idle) {
    if (!state.idle) {
      state.idle = true;
      state.idle_from = from;
      state.teams_before = state.teams_now;
    }
    return;
  }
  if (state.idle) settle_idle(state, from, state.teams_now, from, undefined_ref);
  if (activity == Activity::work || activity == Activity::idle) {
    if (state.forking || state.joining) {
      state.team_ns += ns;
      return charge(state, Place::team, ns);
    }
    if (outside) return charge(state, Place::serial, ns);
    work(state, task, ns);
    return charge(state, Place::work, ns);
  }
  switch (activity) {
    case Activity::barrier:
    case Activity::task_wait:
      if (outside) return charge(state, Place::serial, ns);
      return wait_for_others(location, state, state.members.back(), task, activity, from, to);
    case Activity::lock_wait:
      return lock_wait(state, task, ns, to);
    case Activity::runtime: {
      const Construct construct = replay_.classes()[task.stack.back().region].construct;
      const bool tasks = construct == Construct::task_create || construct == Construct::task_dependence;
      return charge(state, tasks ? Place::tasking : outside ? Place::serial : Place::team, ns);
    }
    case Activity::device:
      add_detail(Place::device, task.stack.back().region, undefined_ref, parallel_of(state), ns, to, 1);
      return charge(state, Place::device, ns);
    default:
      return charge(state, Place::unknown, ns);
  }
}

void Accountant::lock_wait(State& state, const Task& task, std::uint64_t ns, std::uint64_t to) {
  const RegionRef region = task.stack.back().region;
  const RegionRole role = definitions_.regions[region].role;
  const bool exclusive = role == RegionRole::critical || role == RegionRole::atomic || role == RegionRole::ordered;
  charge(state, exclusive ? Place::exclusive : Place::locks, ns);
  if (!state.members.empty()) add_to(state.members.back().spent, region, ns);
  if (state.lock_from == 0) state.lock_from = to - ns;
}

void Accountant::wait_for_others(LocationRef location, State& state, Member& member, const Task& task,
                                 Activity activity, std::uint64_t from, std::uint64_t to) {
  TeamState& team = state_of(*member.team);
  const std::uint64_t ns = to - from;
  const std::uint64_t queued =
      std::min(ns, team.queued.value(to) - std::min(team.queued.value(to), member.queued_from));
  const std::uint64_t busy = std::min(ns, team.busy.value(to) - std::min(team.busy.value(to), member.busy_from));
  const std::uint64_t starving = busy - std::min(busy, queued);
  const RegionRef region = task.stack.back().region;
  if (activity == Activity::task_wait || task.is_explicit || !member.waiting) {
    // Without a task in sight a taskwait waits for one on a device, or its child has just ended.
    charge(state, Place::tasking, queued);
    charge(state, Place::starvation, ns - queued);
    add_detail(Place::tasking, region, undefined_ref, member.team->region, queued, to, member.team->size);
    add_detail(Place::starvation, region, undefined_ref, member.team->region, ns - queued, to, member.team->size);
    return;
  }
  Episode& episode = team.episodes[member.number];
  std::uint64_t rest = ns - std::min(ns, queued + starving), late = 0;
  if (episode.last_arrival != 0 && to > episode.last_arrival) {
    // What is behind the last arrival, but for the time in which tasks were left.
    const std::uint64_t after = std::min(ns, to - episode.last_arrival);
    const std::uint64_t busy_then = std::max(episode.busy_at_arrival, member.busy_from);
    const std::uint64_t busy_after = team.busy.value(to) - std::min(team.busy.value(to), busy_then);
    late = std::min(rest, after - std::min(after, busy_after));
  }
  rest -= late;
  charge(state, Place::tasking, queued);
  charge(state, Place::starvation, starving);
  charge(state, Place::team, late);
  if (rest != 0) add_to(episode.waited, location, rest);
  episode.region = region;
  episode.tasking += queued;
  episode.starvation += starving;
  episode.rest += late;
  episode.imbalance += rest;
}

void Accountant::arrive(Member& member, RegionRef region, std::uint64_t time) {
  TeamState& team = state_of(*member.team);
  Episode& episode = team.episodes[member.number];
  member.waiting = true;
  episode.region = region;
  ++episode.arrived;
  for (const auto& [where, ns] : member.spent) add_to(episode.spent, where, ns);
  if (episode.arrived < member.team->size) return;
  // The last one: what did it do that the others did not?
  episode.last_arrival = std::max<std::uint64_t>(time, 1);
  episode.creator_was_last = member.created > 0;
  episode.busy_at_arrival = team.busy.value(time);
  double most = 0;
  for (const auto& [where, ns] : member.spent) {
    double all = 0;
    for (const auto& [other, sum] : episode.spent)
      if (other == where) all = static_cast<double>(sum);
    const double more = static_cast<double>(ns) - all / std::max(1u, member.team->size);
    if (more > most) {
      most = more;
      episode.cause = where;
    }
  }
}

void Accountant::finish_episode(Team& team, Episode& episode, std::uint64_t time) {
  const std::uint64_t at = episode.last_arrival != 0 ? episode.last_arrival : time;
  const Place place = episode.creator_was_last ? Place::starvation : Place::imbalance;
  for (const auto& [location, ns] : episode.waited) charge(states_[location], place, ns);
  add_detail(place, episode.region, episode.cause, team.region, episode.imbalance, at, team.size);
  add_detail(Place::starvation, episode.region, episode.cause, team.region, episode.starvation, at, team.size);
  add_detail(Place::tasking, episode.region, undefined_ref, team.region, episode.tasking, at, team.size);
  add_detail(Place::team, episode.region, undefined_ref, team.region, episode.rest, at, team.size);
}

void Accountant::enter(LocationRef location, Task& task, const Frame& frame) {
  State& state = states_[location];
  if (!state.counted) return;
  const RegionClass& region = replay_.classes()[frame.region];
  if (region.construct == Construct::parallel && !state.members.empty() && !state.helper)
    take_out_helper(location, state, *state.members.back().team);
  if (region.construct == Construct::parallel && state.members.size() == 1) {
    serial_after_ = frame.region;
    if (!stretches_.empty() && stretches_.back().before == undefined_ref) stretches_.back().before = frame.region;
  }
  if (region.construct == Construct::task_create || region.construct == Construct::task_wait) {
    if (state.created_at != 0 && frame.enter >= state.created_at) {
      const std::uint64_t gap = frame.enter - state.created_at;
      const auto bits = static_cast<std::size_t>(std::bit_width(gap));
      const std::size_t part = bits > 2 ? (gap >> (bits - 3)) & 3 : 0;
      ++gaps_[std::min<std::size_t>(bits * 4 + part, gaps_.size() - 1)];
    }
  }
  state.created_at = 0;
  if (!is_wait_of_barrier(region.construct) || task.is_explicit || state.members.empty()) return;
  Member& member = state.members.back();
  if (!member.waiting) arrive(member, frame.region, frame.enter);
}

/// libomp keeps a team of its own for `target nowait`: begun by a thread that is nobody's, in no place of the program.
void Accountant::take_out_helper(LocationRef, State& state, const Team& team) {
  const auto* name = team.region == undefined_ref ? nullptr : &replay_.classes()[team.region];
  if (!name || !name->location.empty() || team.master == 0 || team.master >= states_.size()) return;
  State& master = states_[team.master];
  if (master.worker || definitions_.locations[team.master].name.starts_with("OMP")) return;
  const auto mark = [this](State& one) {
    if (!one.helper && !one.members.empty()) in_teams_ -= std::min<std::uint64_t>(in_teams_, 1);
    one.helper = true;
  };
  if (!master.helper) {
    active_.add(-1, now_);
    if (active_.count() == 0) serial_since_ = now_;
  }
  mark(master);
  mark(state);
}

void Accountant::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  State& state = states_[location];
  if (!state.counted) return;
  const Construct construct = replay_.classes()[frame.region].construct;
  state.created_at = construct == Construct::task_create ? time : 0;
  if (!is_wait_of_barrier(construct) || task.is_explicit || state.members.empty()) return;
  if (!task.stack.empty() && is_wait_of_barrier(replay_.classes()[task.stack.back().region].construct)) return;
  Member& member = state.members.back();
  if (!member.waiting) return;
  member.waiting = false;
  member.spent.clear();
  member.created = 0;
  TeamState& team = state_of(*member.team);
  const auto found = team.episodes.find(member.number++);
  if (found == team.episodes.end()) return;
  if (++found->second.left < member.team->size) return;
  finish_episode(*member.team, found->second, time);
  team.episodes.erase(found);
}

void Accountant::task_created(LocationRef location, Task&, Task& task) {
  State& state = states_[location];
  ++creates_;
  ++state.creates;
  if (!state.members.empty()) ++state.members.back().created;
  if (!task.team) return;
  TeamState& team = state_of(*task.team);
  team.queued.add(1, now_);
  team.busy.add(1, now_);
}

/// The sink can run only when all its sources are complete: until then nobody could have taken it.
void Accountant::task_dependence(Task& source, Task& sink) {
  if (!sink.team || sink.started || !teams_.contains(sink.team)) return;
  if (blocked_[&sink]++ == 0) state_of(*sink.team).queued.add(-1, now_);
  successors_[&source].push_back(&sink);
}

void Accountant::unblock(Task& task, std::uint64_t time) {
  const auto found = blocked_.find(&task);
  if (found == blocked_.end() || --found->second != 0) return;
  blocked_.erase(found);
  if (task.team && teams_.contains(task.team)) state_of(*task.team).queued.add(1, time);
}

void Accountant::task_started(LocationRef, Task& task) {
  if (blocked_.erase(&task) != 0) return;  // its sources' ends are not in the trace, or come in the same instant
  if (task.team && teams_.contains(task.team)) state_of(*task.team).queued.add(-1, now_);
}

void Accountant::task_completed(LocationRef, Task& task, std::uint64_t time) {
  ++tasks_;
  if (const auto found = successors_.find(&task); found != successors_.end()) {
    for (Task* sink : found->second) unblock(*sink, time);
    successors_.erase(found);
  }
  if (task.team && teams_.contains(task.team)) {
    TeamState& team = state_of(*task.team);
    if (!task.started && !blocked_.contains(&task)) team.queued.add(-1, time);
    team.busy.add(-1, time);
  }
  blocked_.erase(&task);
}

/// What a thread idled: while the program was serial, beside teams of others, and from a fork to its part in the team.
void Accountant::settle_idle(State& state, std::uint64_t team_begin, std::uint64_t teams_at_begin, std::uint64_t now,
                             RegionRef parallel) {
  state.idle = false;
  const std::uint64_t until = std::max(state.idle_from, std::min(team_begin, now));
  const std::uint64_t start = now - until, idle = until - state.idle_from;
  const std::uint64_t beside = std::min(idle, teams_at_begin - std::min(teams_at_begin, state.teams_before));
  charge(state, Place::unused, beside);
  charge(state, Place::serial_idle, idle - beside);
  charge(state, Place::team, start);
  add_detail(Place::team, parallel, undefined_ref, parallel, start, now, 0);
}

void Accountant::team_begun(LocationRef location, Team& team, Task&) {
  State& state = states_[location];
  if (!state.counted) return;
  TeamState& known = state_of(team);
  if (known.begin == 0) known.begin = team.begin;
  state.forking = false;
  if (state.idle) {
    std::uint64_t teams_at_fork = state.teams_now;
    if (team.master < states_.size() && !states_[team.master].teams_at_fork.empty())
      teams_at_fork = states_[team.master].teams_at_fork.back();
    // The team's region is known from the master's Enter on; a worker may come first.
    settle_idle(state, team.begin, teams_at_fork, now_, team.region);
  }
  if (state.members.empty() && !state.helper) most_at_once_ = std::max(most_at_once_, ++in_teams_);
  state.members.push_back({});
  state.members.back().team = &team;
  refresh(state, now_);
}

void Accountant::team_left(LocationRef location, Team& team, Task&) {
  State& state = states_[location];
  if (!state.counted || state.members.empty()) return;
  state.members.pop_back();
  if (state.members.empty() && !state.helper) in_teams_ -= std::min<std::uint64_t>(in_teams_, 1);
  if (location == team.master && !state.teams_at_fork.empty()) state.joining = true;
  refresh(state, now_);
}

void Accountant::team_ended(Team& team) {
  const auto found = teams_.find(&team);
  if (found == teams_.end()) return;
  for (auto& [number, episode] : found->second.episodes) finish_episode(team, episode, team.end);
  for (State& state : states_) {  // members that the trace does not let go
    std::erase_if(state.members, [&](const Member& member) { return member.team == &team; });
  }
  teams_.erase(found);
}

std::uint64_t Accountant::estimated_creation() const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : gaps_) all += count;
  if (all < 16) return 0;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    below += gaps_[i];
    if (below * 3 < all) continue;  // a third of the gaps are shorter: those hold little else
    const std::size_t bits = i / 4, part = i % 4;
    const std::uint64_t ns = bits > 2 ? (4 + part) << (bits - 3) : std::uint64_t{1} << bits >> 1;
    return std::min(ns, most_creation_ns);
  }
  return 0;
}

Account Accountant::account() {
  Account result;
  const bool from_kernel = facts_.start != 0 && facts_.start == begin_ && facts_.end >= last_;
  result.begin = begin_;
  result.end = std::max(from_kernel ? facts_.end : last_, begin_);
  result.whole_process = from_kernel;
  const std::uint64_t wall = result.end - result.begin;
  const std::uint64_t in_teams = active_.value(last_);
  result.serial_wall = wall - std::min(wall, in_teams);
  if (active_.count() == 0 && result.end > std::max(serial_since_, result.begin))
    stretches_.push_back({serial_since_ == 0 ? result.begin : serial_since_, result.end, serial_after_, undefined_ref});
  result.create_cost = estimated_creation();
  result.tasks = tasks_;
  result.task_work = task_work_;
  result.creates = creates_;
  result.most_at_once = most_at_once_;
  std::uint64_t start_ns = 0;
  for (const Property& property : definitions_.properties)
    if (property.name.starts_with("TRACER::COUNTER::") &&
        (property.name.ends_with("tool.start_ns") || property.name.ends_with("TOOL_START_NS")))
      start_ns = std::strtoull(property.value.c_str(), nullptr, 10);
  result.serial_wall -= std::min(result.serial_wall, start_ns);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    if (!state.counted || state.helper) continue;
    const std::uint64_t end = result.end;
    if (!state.seen) charge(state, state.worker ? Place::serial_idle : Place::absent, wall);
    if (state.seen && state.worker) {  // it would have been of use to the end
      if (!state.idle) {
        state.idle = true;
        state.idle_from = last_;
        state.teams_before = in_teams;
      }
      settle_idle(state, end, in_teams, end, undefined_ref);
    } else if (state.seen) {
      charge(state, i == 0 ? Place::serial : Place::absent, end - std::min(end, last_));
    }
    const auto move = [&](Place from, Place to, std::uint64_t ns) {
      std::uint64_t& source = state.ns[static_cast<std::size_t>(from)];
      ns = std::min(ns, source);
      source -= ns;
      charge(state, to, ns);
      return ns;
    };
    if (i == 0) move(Place::serial, Place::tool, start_ns);
    const std::uint64_t creation = state.creates * result.create_cost;
    move(Place::work, Place::tasking, creation);
    AccountThread row;
    row.location = static_cast<LocationRef>(i);
    row.facts = thread_facts(definitions_.locations[i]);
    // The kernel says how long the thread waited for a processor, not where: each place has its share.
    std::uint64_t alive = 0;
    for (std::size_t p = 0; p < places; ++p)
      if (static_cast<Place>(p) != Place::absent) alive += state.ns[p];
    if (const std::uint64_t delay = std::min(row.facts.delay, alive); delay > 0) {
      const double share = static_cast<double>(delay) / static_cast<double>(alive);
      for (std::size_t p = 0; p < places; ++p) {
        const auto place = static_cast<Place>(p);
        if (place == Place::absent || place == Place::descheduled) continue;
        move(place, Place::descheduled, static_cast<std::uint64_t>(static_cast<double>(state.ns[p]) * share));
      }
    }
    row.ns = state.ns;
    for (std::size_t p = 0; p < places; ++p) result.ns[p] += row.ns[p];
    result.rows.push_back(row);
  }
  result.threads = result.rows.size();
  for (const std::uint64_t ns : result.ns) result.total += ns;
  for (auto& [key, row] : details_) result.details.push_back(row);
  std::stable_sort(result.details.begin(), result.details.end(),
                   [](const AccountRow& a, const AccountRow& b) { return a.ns > b.ns; });
  result.stretches = std::move(stretches_);
  std::stable_sort(result.stretches.begin(), result.stretches.end(),
                   [](const SerialStretch& a, const SerialStretch& b) { return a.to - a.from > b.to - b.from; });
  if (result.stretches.size() > most_stretches) result.stretches.resize(most_stretches);
  result.loops = std::move(loops_);
  return result;
}

}  // namespace tracer::report
