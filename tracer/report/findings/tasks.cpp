// SPDX-License-Identifier: BSD-3-Clause
// Findings about tasks: too small ones, and too few of them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t small_task = 10'000, least_small_tasks = 100;
/// To find and begin a task that is there takes a thread a microsecond or some; ten times that is no longer finding.
constexpr std::uint64_t long_search = 20'000;
/// The share of the threads' time without a processor from which on a late thread is no evidence about a runtime.
constexpr double least_delay = 0.02;

bool waits_for_tasks(Directive construct) {
  return construct == Directive::task_wait || construct == Directive::task_group;
}

}  // namespace

void Judge::tasks() {
  if (account_.tasks == 0) return;
  if (!is_perturbed()) detached_tasks();
  small_tasks();
  if (is_perturbed()) return;
  starvation();
  queued_tasks();
}

/// Of the regions in which they are small, each by itself: where tasks are long, their number is no reason to wait.
void Judge::small_tasks() {
  const double ran = ran_of_work();
  const auto ran_in = [ran](const TasksIn& in) {
    return static_cast<std::uint64_t>(ran * static_cast<double>(in.work));
  };
  TasksIn small;
  std::set<RegionRef> regions;
  for (const auto& [region, in] : account_.tasks_in) {
    if (region == undefined_ref || in.tasks == 0 || ran_in(in) / in.tasks >= small_task) continue;
    regions.insert(region);
    small.add(in);
  }
  if (small.tasks < least_small_tasks) return;
  const auto is_for_tasks = [](const AccountRow& row) { return row.is(Place::tasking) || row.is(Place::starvation); };
  Cells mine = cells([&](const AccountRow& row) { return is_for_tasks(row) && regions.contains(row.parallel); });
  // What creating tasks takes is of no region in the account: by their number.
  const Cells of_all = cells([&](const AccountRow& row) { return is_for_tasks(row) && row.parallel == undefined_ref; });
  const auto of_these =
      static_cast<std::uint64_t>(share(small.tasks, account_.tasks) * static_cast<double>(sum(of_all)));
  const std::uint64_t work = ran_in(small);
  if (sum(mine) + of_these <= work / 4) return;
  const Cells part = part_of(of_all, of_these);
  mine.insert(mine.end(), part.begin(), part.end());
  const RegionRef region = most_frequent(small);
  Finding finding = at(region);
  finding.text = formatted(
      "%s tasks do %s of work each, most of %s; creating, scheduling and waiting for them takes %s, %.1f "
      "times the work.",
      format_count(small.tasks).c_str(), time(work / small.tasks).c_str(), name(region).c_str(),
      time(sum(mine)).c_str(), share(sum(mine), work));
  finding.advice =
      "Give each task more work: stop creating them below some depth or size (if(), final(), a serial version; "
      "taskloop grainsize).";
  sure(finding, "high");
  add(std::move(finding), "small-tasks", mine);
}

/// The construct that has most of them; of those that have as many the one whose tasks take longest.
RegionRef Judge::most_frequent(const TasksIn& tasks) const {
  RegionRef region = undefined_ref;
  std::uint64_t most = 0;
  for (const TaskRow& row : report_.tasks.regions) {  // by time
    const auto found = tasks.of_construct.find(row.region);
    if (found != tasks.of_construct.end() && found->second > most) region = row.region, most = found->second;
  }
  return region;
}

/// Those of a parallel region; of the run where that has none.
TasksIn Judge::tasks_of(RegionRef parallel) const {
  const auto found = account_.tasks_in.find(parallel);
  if (found != account_.tasks_in.end()) return found->second;
  TasksIn all;
  for (const auto& [region, in] : account_.tasks_in) all.add(in);
  return all;
}

/// Tasks that could be run lie there, and threads wait: the runtime, or the language's rules, keep them from it. What a
/// thread at a barrier is late for on a machine that is short of processors is not theirs.
void Judge::queued_tasks() {
  const bool is_short = share(account_.at(Place::descheduled), there()) > least_delay;
  const Cells mine = cells([&](const AccountRow& row) {
    return row.is(Place::tasking) && row.region != undefined_ref && row.ns >= row.count * long_search &&
           (!is_short || waits_for_tasks(construct(row.region)));
  });
  if (mine.empty()) return;
  AccountRow worst;
  for (const std::size_t cell : mine)
    if (account_.details[cell].ns > worst.ns) worst = account_.details[cell];
  const std::uint64_t lost = sum(mine);
  Finding finding = at(worst.region);
  finding.at = worst.longest_at;
  finding.text = formatted(
      "Threads wait for %s while tasks that could be run are queued, most of it in %s (%llu times, at most %s).",
      time(lost).c_str(), name(worst.region).c_str(), number(worst.count), time(worst.longest).c_str());
  if (waits_for_tasks(construct(worst.region))) {
    finding.advice =
        "In a tied task that waits a thread may run only what that task has created: make the tasks that wait untied, "
        "wait in fewer of them, or let what follows the wait be a task with depend().";
  } else {
    finding.advice =
        "Threads that sleep at a barrier may not be woken for a task: OMP_WAIT_POLICY=active (KMP_BLOCKTIME=infinite) "
        "keeps them looking; or create the tasks before threads come to wait.";
  }
  add(std::move(finding), "queued-tasks", mine);
}

/// The tasks have run, and are not complete before somebody fulfils their events.
void Judge::detached_tasks() {
  const Cells mine = cells_of(Place::detached);
  const AccountRow worst = summary(mine);
  Finding finding = at(worst.cause);
  finding.at = worst.longest_at;
  finding.text = formatted("Threads wait %s for the events of detached tasks (omp_fulfill_event), most of it for %s.",
                           time(worst.ns).c_str(), name(worst.cause).c_str());
  finding.advice = "Fulfil the events earlier, or give the team other tasks to run meanwhile.";
  sure(finding, "high");
  add(std::move(finding), "detached-tasks", mine);
}

/// Each parallel region is a finding of its own: what others have of tasks, waits and chains is no cause of it.
void Judge::starvation() {
  std::map<RegionRef, Cells> by_parallel;
  for (const std::size_t cell : cells_of(Place::starvation))
    by_parallel[account_.details[cell].parallel].push_back(cell);
  for (const auto& [parallel, mine] : by_parallel) starving(tasks_of(parallel), mine);
}

/// By what one execution of the region has: `here` and the cells are of all of them.
void Judge::starving(const TasksIn& here, const Cells& mine) {
  if (is_held_up(mine, true)) return;
  const AccountRow worst = summary(mine);
  const std::uint64_t threads = team_of(worst), times = std::max<std::uint64_t>(1, here.executions);
  const RegionRef region = most_frequent(here);
  Finding finding = at(region);
  finding.at = worst.longest_at;
  const auto found = report_.tasks.graphs.find(worst.parallel);
  const ChainOfTasks graph = found != report_.tasks.graphs.end() ? found->second : ChainOfTasks{};
  const double parallelism = share(graph.work, graph.path);
  finding.text = formatted("Threads find no task to run for %s", time(worst.ns).c_str());
  if (few_tasks_at_a_time(here, mine, finding.text)) return;
  if (here.tasks < 2 * times * threads) {
    finding.text +=
        formatted(": there are only %.0f tasks for %llu threads", share(here.tasks, times), number(threads)) +
        (times == 1 ? "." : ", a mean of " + format_count(times) + " executions.");
    finding.advice = "Cut the work into more and smaller tasks.";
  } else if (here.dependences > 0 && graph.tasks > 0 && parallelism < 0.9 * static_cast<double>(threads)) {
    finding.text += formatted(": of %s, %llu tasks must run one after the other (%s), which keeps %.1f threads busy.",
                              name(region).c_str(), number(graph.tasks), time(graph.path).c_str(), parallelism);
    finding.advice = std::string("Shorten the chain: finer dependences, smaller tasks on it, or for those ") +
                     priority_of_tasks + ".";
  } else if (here.all_last * 4 > here.wall || here.all_last > worst.ns / threads) {
    finding.text += formatted(times == 1 ? ": the last task takes %s, and the others are done before it."
                                         : ": the last task of an execution takes up to %s, and the others are done "
                                           "before it.",
                              time(here.last).c_str());
    finding.advice = "Cut the long task into smaller ones, or create it first.";
  } else {
    finding.text += ": they are created too slowly or too few at a time, by " +
                    name(worst.cause != undefined_ref ? worst.cause : worst.region) + ".";
    finding.advice = "Let several threads create tasks (taskloop, recursive creation), or give each more work.";
  }
  add(std::move(finding), "starvation", mine);
}

/// Whoever creates tasks waits for each few of them: there are never more than those to run. Several threads that do so
/// at one time have as many each.
bool Judge::few_tasks_at_a_time(const TasksIn& here, const Cells& mine, const std::string& seen) {
  constexpr std::uint64_t least = 5;  // waits
  std::uint64_t waits = 0, most = 0;
  RegionRef where = undefined_ref;
  for (const auto& [region, count] : here.own_waits) {
    waits += count;
    if (count > most) most = count, where = region;
  }
  // Who waits once in an execution has no more tasks, with the wait or without. Those that tasks create are others':
  // where these are many, the wait is not what there are few for.
  const std::uint64_t once = std::max(here.executions, here.all_waiters);
  if (waits < std::max(least, 2 * once) || 10 * here.own_creates < 9 * here.creates) return false;
  const double each = share(here.own_creates, waits), waiters = std::max(1.0, share(here.all_waiters, here.executions));
  const AccountRow all = summary(mine);
  const std::string at_once = waiters < 1.5 ? "these" : formatted("%.0f", each * waiters);
  if (std::llround(each * waiters) >= static_cast<std::int64_t>(team_of(all))) return false;
  Finding finding = at(where);
  finding.at = all.longest_at;
  const std::string few = each < 1.5 ? "each task" : formatted("each %.0f tasks", each);
  finding.text = seen + ": " + name(where) + " comes after " + few + ", " + format_count(waits) + " times" +
                 (waiters < 1.5 ? "" : formatted(", in %.0f threads at the same time", waiters)) +
                 ", and there are no more than " + at_once + " to run at the same time, for " +
                 format_count(team_of(all)) + " threads.";
  finding.advice =
      "Wait once, behind the loop that creates the tasks; where one task needs what another has done, depend() lets "
      "the "
      "rest go on.";
  sure(finding, "high");
  add(std::move(finding), "starvation", mine);
  return true;
}

}  // namespace tracer::report
