// SPDX-License-Identifier: BSD-3-Clause
// The account at the end of the trace: what needs the whole run, and the sums.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tracer/replay/run_facts.hpp"
#include "tracer/report/measures/account.hpp"
#include "tracer/report/measures/ratios.hpp"

namespace tracer::report {
namespace {

/// Places where the thread has something to do. In the others it waits, with a processor or without.
bool is_busy(Place place) noexcept {
  return place == Place::work || place == Place::serial || place == Place::tool || place == Place::unknown;
}

std::uint64_t part_of(std::uint64_t ns, std::uint64_t part, std::uint64_t whole) noexcept {
  return static_cast<std::uint64_t>(static_cast<double>(ns) * static_cast<double>(part) / static_cast<double>(whole));
}

/// What the thread's work in teams would have of processors if there were always one: `ran`, its processor time, in the
/// time that was left of that in teams without its delay. `awake`: its time at work, and waiting for a processor or
/// spinning.
std::uint64_t demand_of(const PlaceTimes& ns, const ThreadFacts& facts, std::uint64_t ran, std::uint64_t awake) {
  const auto at = [&](Place place) { return ns[static_cast<std::size_t>(place)]; };
  const std::uint64_t work = at(Place::work);
  const std::uint64_t in_teams = work + at(Place::imbalance) + at(Place::starvation) + at(Place::detached) +
                                 at(Place::tasking) + at(Place::team) + at(Place::locks) + at(Place::exclusive) +
                                 at(Place::device);
  const std::uint64_t delayed = part_of(facts.delay, work, awake);
  if (work == 0 || in_teams <= delayed) return std::min(work, ran + delayed);
  return std::min(work, part_of(ran, in_teams, in_teams - delayed));
}

}  // namespace

const char* name_of(Place place) noexcept {
  constexpr const char* names[] = {"work",     "serial",      "serial_idle", "imbalance", "starvation",
                                   "detached", "tasking",     "team",        "locks",     "exclusive",
                                   "device",   "device_idle", "mpi",         "mpi_idle",  "unused",
                                   "tool",     "descheduled", "absent",      "unknown"};
  static_assert(sizeof names / sizeof names[0] == places);
  return names[static_cast<std::size_t>(place)];
}

const char* text_of(Place place) noexcept {
  constexpr const char* texts[] = {"work in parallel regions",
                                   "serial work",
                                   "idle while the program is serial",
                                   "imbalance: waiting at barriers",
                                   "starving for tasks",
                                   "waiting for events of detached tasks",
                                   "creating and scheduling tasks",
                                   "start and join of teams",
                                   "waiting for locks",
                                   "waiting for critical, atomic, ordered",
                                   "waiting for devices",
                                   "idle while one thread waits for a device",
                                   "inside MPI",
                                   "idle while one thread is in MPI",
                                   "not in the team",
                                   "the tool itself",
                                   "without a processor",
                                   "not there yet, or ended",
                                   "unknown"};
  static_assert(sizeof texts / sizeof texts[0] == places);
  return texts[static_cast<std::size_t>(place)];
}

/// From a thread's last event to the end of its process.
void Accountant::close(State& state, const Process& process, std::uint64_t end) {
  record_again(state, process.last);
  if (state.ended != 0 && !state.idle) {
    const std::uint64_t from = std::max(state.ended, process.begin);
    const std::uint64_t gone = end - std::min(end, from);
    const std::uint64_t beyond = process.beyond.value(end) - std::min(process.beyond.value(end), state.beyond_at_end);
    return charge(state, Place::absent, gone - std::min(gone, beyond));
  }
  if (process.facts.is_end_unknown() && end > process.last) {  // its activity then is unknown
    if (!process.is_beyond) charge(state, Place::unknown, end - process.last);
    end = process.last;
  }
  const std::uint64_t in_teams = process.active.value(process.last);
  if (state.worker) {  // it would have been of use to the end
    if (!state.idle && state.seen) begin_idle(state, process.last);
    if (!state.idle) state.idle = Idle{.from = process.begin};
    end_idle(state, end, in_teams);
  } else if (!state.seen) {
    charge(state, Place::absent, end - process.begin - process.beyond.value(end));
  } else {
    const std::uint64_t behind = end - std::min(end, process.last);
    const std::uint64_t beyond = process.beyond.value(end) - process.beyond.value(std::min(end, process.last));
    charge(state, state.initial ? Place::serial : Place::absent, behind - std::min(behind, beyond));
  }
}

/// The idle time of a process' other threads, by the regions in which its thread was.
void Accountant::add_idle(Place place, const std::map<RegionRef, std::uint64_t>& regions, std::uint64_t ns,
                          std::uint64_t at) {
  std::uint64_t all = 0;
  for (const auto& [region, part] : regions) all += part;
  for (const auto& [region, part] : regions) {
    const double share = static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(all, 1));
    add_detail(place, region, undefined_ref, undefined_ref, static_cast<std::uint64_t>(share * static_cast<double>(ns)),
               at, 0);
  }
}

std::uint64_t Accountant::move(State& state, Place from, Place to, std::uint64_t ns) {
  std::uint64_t& source = state.ns[static_cast<std::size_t>(from)];
  ns = std::min(ns, source);
  source -= ns;
  state.ns[static_cast<std::size_t>(to)] += ns;
  return ns;
}

/// The kernel counts how long the thread could have run but had no processor, not where. Waiting is as long with one as
/// without: what is taken from a thread is its share of what it was to do, and of waiting that spins. That the thread
/// slept is the time in which it neither ran nor could have: waiting, as long as there is some; at work, where threads
/// wait actively.
void Accountant::share_delay(State& state, AccountThread& row) {
  const ThreadFacts& facts = row.facts;
  std::uint64_t busy = 0, waiting = 0;
  for (std::size_t p = 0; p < places; ++p) {
    const auto place = static_cast<Place>(p);
    if (place != Place::absent && place != Place::descheduled) (is_busy(place) ? busy : waiting) += state.ns[p];
  }
  const std::uint64_t all = busy + waiting, awake = std::min(all, facts.processor + facts.delay);
  const std::uint64_t asleep = all - awake;
  const std::uint64_t at_work = waits_actively(process_of(state).facts) ? std::min(asleep, busy) : 0;
  const std::uint64_t spun = waiting - std::min(waiting, asleep - at_work), working = busy - at_work;
  if (busy == 0) return;
  const std::uint64_t running = sleeps_at_once(process_of(state).facts) ? busy : busy + spun;
  row.ran_at_work = part_of(facts.processor, state.ns[static_cast<std::size_t>(Place::work)], running);
  row.able_to_work = demand_of(state.ns, facts, row.ran_at_work, busy + spun);
  if (facts.delay == 0 || working == 0) return;
  const std::uint64_t mine = part_of(std::min(facts.delay, all), working, working + spun);
  const double share = static_cast<double>(std::min(mine, busy)) / static_cast<double>(busy);
  for (std::size_t p = 0; p < places; ++p) {
    const auto place = static_cast<Place>(p);
    if (!is_busy(place)) continue;
    delayed_from_[p] +=
        move(state, place, Place::descheduled, static_cast<std::uint64_t>(static_cast<double>(state.ns[p]) * share));
  }
}

/// Those that are in the account, in the order of processes_.
std::vector<std::vector<LocationRef>> Accountant::threads_by_process() const {
  std::vector<std::vector<LocationRef>> threads(processes_.size());
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].counted && !states_[i].helper) threads[states_[i].process].push_back(static_cast<LocationRef>(i));
  return threads;
}

/// Of its threads: workers are there from the beginning on, others and those that replace one from their first event.
void Accountant::count_presence(const std::vector<LocationRef>& threads, AccountProcess& sum) const {
  struct Change {
    std::uint64_t time;
    int all, workers;
    bool operator<(const Change& other) const { return std::pair{time, all} < std::pair{other.time, other.all}; }
  };
  std::vector<Change> changes;
  for (const LocationRef thread : threads) {
    const State& state = states_[thread];
    const std::uint64_t from =
        state.seen && !state.initial && (!state.worker || state.replaces) ? state.first : sum.begin;
    const std::uint64_t to = state.ended != 0 ? state.ended : sum.end;
    if (to < sum.end && sum.end - to >= (sum.end - sum.begin) / 100) ++sum.ended;  // not those that ended with it
    const int worker = state.initial || state.worker ? 1 : 0;
    changes.push_back({from, 1, worker});
    changes.push_back({std::max(to, from + 1), -1, -worker});
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t now = 0, workers = 0;
  for (const Change& change : changes) {
    sum.present = std::max(sum.present, static_cast<std::uint64_t>(now += change.all));
    sum.workers = std::max(sum.workers, static_cast<std::uint64_t>(workers += change.workers));
  }
}

AccountProcess Accountant::sum_of(Process& process, const std::vector<LocationRef>& threads, std::uint64_t start,
                                  Account& account) {
  AccountProcess sum;
  process.last = std::max(process.last, replay_.last_of(process.first));
  const RunFacts& facts = process.facts;
  // The kernel's start time is exact to a tick: an event may come before it.
  const bool from_kernel = facts.start >= process.begin && facts.start - process.begin <= facts.resolution &&
                           facts.start != 0 && facts.end >= process.last;
  account.whole_process = account.whole_process && from_kernel;
  sum.group = process.group;
  sum.begin = process.begin;
  sum.end = std::max(from_kernel ? facts.end : process.last, process.begin);
  sum.beyond = process.beyond.value(sum.end);
  const std::uint64_t wall = sum.wall();
  if (replay_.is_confined()) start = 0;  // the tool's
  const std::uint64_t unknown =
      facts.is_end_unknown() && !process.is_beyond ? sum.end - std::min(sum.end, process.last) : 0;
  const std::uint64_t teams = process.active.value(process.last), mpi = process.in_mpi.value(process.last),
                      device = process.in_device.value(process.last);
  sum.paused = process.paused.value(sum.end - unknown);
  sum.serial_wall = wall - std::min(wall, teams + mpi + device + start + unknown + sum.paused);
  sum.device_wall = device;
  end_stretch(process, sum.end - unknown);
  close_gap(process, undefined_ref);
  std::uint64_t mpi_idle = 0, device_idle = 0, serial = 0;
  for (const LocationRef thread : threads) {
    State& state = states_[thread];
    close(state, process, sum.end);
    if (state.initial) move(state, Place::serial, Place::tool, start);
    account.creating += state.creating + move(state, Place::work, Place::tasking, state.creates * account.create_cost);
    AccountThread row;
    row.location = thread;
    row.facts = thread_facts(definitions_.locations[thread]);
    row.ended = state.ended;
    mpi_idle += state.ns[static_cast<std::size_t>(Place::mpi_idle)];
    device_idle += state.ns[static_cast<std::size_t>(Place::device_idle)];
    for (std::size_t p = 0; p < places; ++p) undelayed_[p] += state.ns[p];
    serial += state.ns[static_cast<std::size_t>(Place::serial)];
    share_delay(state, row);
    row.ns = state.ns;
    for (std::size_t p = 0; p < places; ++p) sum.ns[p] += row.ns[p];
    ++sum.threads;
    account.rows.push_back(row);
  }
  count_presence(threads, sum);
  add_idle(Place::mpi_idle, process.mpi_regions, mpi_idle, process.last);
  add_idle(Place::device_idle, process.device_regions, device_idle, process.last);
  const Outside outside = from_kernel && !replay_.is_confined() ? outside_of(process) : Outside{};
  add_serial(Place::serial, process, serial, outside);
  add_serial(Place::serial_idle, process, sum.ns[static_cast<std::size_t>(Place::serial_idle)], outside);
  for (SerialStretch& stretch : process.stretches)
    stretch.ns -= std::min(stretch.ns, outside.of(stretch.after, stretch.before));
  add_unused(process, sum.present, sum.ns[static_cast<std::size_t>(Place::unused)]);
  return sum;
}

Account Accountant::account() {
  Account result;
  result.whole_process = !processes_.empty();
  result.create_cost = estimated_creation();
  result.tasks = tasks_;
  result.task_work = task_work_;
  for (std::size_t region = 0; region < tasks_in_.size(); ++region)
    if (tasks_in_[region] != nullptr && tasks_in_[region]->tasks != 0)
      result.tasks_in[region == 0 ? undefined_ref : static_cast<RegionRef>(region - 1)] = std::move(*tasks_in_[region]);
  result.most_at_once = most_at_once_;
  result.teams_at_once = teams_at_once_;
  result.active_levels = active_levels_;
  result.is_confined = replay_.is_confined();
  result.helpers = static_cast<std::uint64_t>(
      std::count_if(states_.begin(), states_.end(), [](const State& state) { return state.helper; }));
  // Of a rank that left no trace there is a thread without events, and its lifetime is unknown.
  const auto is_known = [this](const Process& process) { return process.begin != 0 || processes_.size() == 1; };
  const auto known = static_cast<std::uint64_t>(std::count_if(processes_.begin(), processes_.end(), is_known));
  const std::vector<std::vector<LocationRef>> threads = threads_by_process();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& process = processes_[i];
    if (!is_known(process)) continue;
    const AccountProcess one = sum_of(process, threads[i], counter_of(definitions_, "TOOL_START_NS") / known, result);
    const bool is_first = result.processes.empty();
    result.begin = is_first ? one.begin : std::min(result.begin, one.begin);
    result.end = is_first ? one.end : std::max(result.end, one.end);
    result.serial_wall += one.serial_wall / known;
    result.device_wall += one.device_wall / known;
    result.paused += one.paused / known;
    result.within += one.wall() / known;
    result.threads += one.threads;
    result.ended += one.ended;
    result.present += one.present;
    for (std::size_t p = 0; p < places; ++p) result.ns[p] += one.ns[p];
    result.stretches.insert(result.stretches.end(), process.stretches.begin(), process.stretches.end());
    result.processes.push_back(one);
  }
  for (const std::uint64_t ns : result.ns) result.total += ns;
  complete_cells(result);
  std::stable_sort(result.stretches.begin(), result.stretches.end(),
                   [](const SerialStretch& a, const SerialStretch& b) { return a.ns > b.ns; });
  if (result.stretches.size() > most_stretches) result.stretches.resize(most_stretches);
  result.loops = std::move(loops_);
  for (const auto& [region, here] : in_regions_)
    if (region != undefined_ref) result.threads_in[region] = share(here.threads, here.wall.value());
  return result;
}

}  // namespace tracer::report
