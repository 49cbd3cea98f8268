// SPDX-License-Identifier: BSD-3-Clause
// The account at the end of the trace: what is known of the whole run only, and the sums.
#include <algorithm>
#include <cstdlib>

#include "tracer/report/account.hpp"

namespace tracer::report {

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

/// What the tool's own start took, of the thread that started it.
std::uint64_t Accountant::tool_start() const {
  std::uint64_t ns = 0;
  for (const Property& property : definitions_.properties)
    if (property.name.starts_with("TRACER::COUNTER::") &&
        (property.name.ends_with("tool.start_ns") || property.name.ends_with("TOOL_START_NS")))
      ns = std::strtoull(property.value.c_str(), nullptr, 10);
  return ns;
}

/// From a thread's last event to the end of the account.
void Accountant::close(LocationRef location, State& state, const Account& account) {
  const std::uint64_t in_teams = active_.value(last_);
  if (!state.seen) {
    charge(state, state.worker ? Place::serial_idle : Place::absent, account.end - account.begin);
  } else if (state.worker) {  // it would have been of use to the end
    if (!state.idle) {
      state.idle = true;
      state.idle_from = last_;
      state.teams_before = in_teams;
    }
    settle_idle(state, account.end, in_teams, account.end, undefined_ref);
  } else {
    charge(state, location == 0 ? Place::serial : Place::absent, account.end - std::min(account.end, last_));
  }
}

std::uint64_t Accountant::move(State& state, Place from, Place to, std::uint64_t ns) {
  std::uint64_t& source = state.ns[static_cast<std::size_t>(from)];
  ns = std::min(ns, source);
  source -= ns;
  state.ns[static_cast<std::size_t>(to)] += ns;
  return ns;
}

/// The kernel says how long the thread waited for a processor, not where: each place has its share.
void Accountant::share_delay(State& state, std::uint64_t delay) {
  std::uint64_t alive = 0;
  for (std::size_t p = 0; p < places; ++p)
    if (static_cast<Place>(p) != Place::absent) alive += state.ns[p];
  delay = std::min(delay, alive);
  if (delay == 0) return;
  const double share = static_cast<double>(delay) / static_cast<double>(alive);
  for (std::size_t p = 0; p < places; ++p) {
    const auto place = static_cast<Place>(p);
    if (place == Place::absent || place == Place::descheduled) continue;
    move(state, place, Place::descheduled, static_cast<std::uint64_t>(static_cast<double>(state.ns[p]) * share));
  }
}

Account Accountant::account() {
  Account result;
  const bool from_kernel = facts_.start != 0 && facts_.start == begin_ && facts_.end >= last_;
  result.begin = begin_;
  result.end = std::max(from_kernel ? facts_.end : last_, begin_);
  result.whole_process = from_kernel;
  const std::uint64_t wall = result.end - result.begin, start = tool_start();
  result.serial_wall = wall - std::min(wall, active_.value(last_));
  result.serial_wall -= std::min(result.serial_wall, start);
  if (active_.count() == 0 && result.end > std::max(serial_since_, result.begin))
    stretches_.push_back({serial_since_ == 0 ? result.begin : serial_since_, result.end, serial_after_, undefined_ref});
  result.create_cost = estimated_creation();
  result.tasks = tasks_;
  result.task_work = task_work_;
  result.creates = creates_;
  result.most_at_once = most_at_once_;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    State& state = states_[i];
    if (!state.counted || state.helper) continue;
    close(static_cast<LocationRef>(i), state, result);
    if (i == 0) move(state, Place::serial, Place::tool, start);
    move(state, Place::work, Place::tasking, state.creates * result.create_cost);
    AccountThread row;
    row.location = static_cast<LocationRef>(i);
    row.facts = thread_facts(definitions_.locations[i]);
    share_delay(state, row.facts.delay);
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
