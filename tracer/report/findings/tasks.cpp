// SPDX-License-Identifier: BSD-3-Clause
// Findings about tasks: too small ones, and too few of them.
#include <algorithm>

#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t small_task = 10'000;
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
  const Cells all = cells([](const AccountRow& row) { return row.is(Place::tasking) || row.is(Place::starvation); });
  const auto work = static_cast<std::uint64_t>(ran_of_work() * static_cast<double>(account_.task_work));
  const std::uint64_t mean = work / account_.tasks;
  RegionRef region = undefined_ref;
  std::uint64_t longest = 0;
  if (!report_.tasks.regions.empty()) {
    const auto most = std::max_element(report_.tasks.regions.begin(), report_.tasks.regions.end(),
                                       [](const TaskRow& a, const TaskRow& b) { return a.count < b.count; });
    region = most->region;
    longest = report_.tasks.longest;
  }
  const std::uint64_t overhead = sum(all);
  if (account_.tasks >= 100 && mean < small_task && overhead > work / 4) {
    Finding finding = at(region);
    finding.text = formatted(
        "%s tasks do %s of work each, most of %s; creating, scheduling and waiting for them takes %s, %.1f "
        "times the work.",
        format_count(account_.tasks).c_str(), time(mean).c_str(), name(region).c_str(), time(overhead).c_str(),
        share(overhead, work));
    finding.advice =
        "Give each task more work: stop creating them below some depth or size (if(), final(), a serial version; "
        "taskloop grainsize).";
    sure(finding, "high");
    return add(std::move(finding), "small-tasks", all);
  }
  if (is_perturbed()) return;
  starvation(region, longest);
  queued_tasks();
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

void Judge::starvation(RegionRef region, std::uint64_t longest) {
  const Cells mine = cells_of(Place::starvation);
  if (is_held_up(mine, true)) return;
  const AccountRow worst = summary(mine);
  const std::uint64_t starving = worst.ns;
  Finding finding = at(region);
  finding.at = worst.longest_at;
  const TaskReport& tasks = report_.tasks;
  const double parallelism = share(tasks.graph_work, tasks.graph_path);
  finding.text = formatted("Threads find no task to run for %s", time(starving).c_str());
  if (few_tasks_at_a_time(mine, finding.text)) return;
  if (account_.tasks < 2 * threads_) {
    finding.text +=
        formatted(": there are only %llu tasks for %llu threads.", number(account_.tasks), number(threads_));
    finding.advice = "Cut the work into more and smaller tasks.";
  } else if (tasks.dependences > 0 && parallelism < 0.9 * static_cast<double>(team_of(worst))) {
    finding.text +=
        formatted(": of %s, %llu tasks must run one after the other (%s), which keeps %.1f threads busy.",
                  name(region).c_str(), number(tasks.graph_tasks), time(tasks.graph_path).c_str(), parallelism);
    finding.advice = "Shorten the chain: finer dependences, smaller tasks on it, or priority() for those.";
  } else if (longest * 4 > wall_ || longest > starving / threads_) {
    finding.text += formatted(": the longest task takes %s, and the others are done before it.", time(longest).c_str());
    finding.advice = "Cut the long task into smaller ones, or create it first.";
  } else {
    finding.text += ": they are created too slowly or too few at a time, by " +
                    name(worst.cause != undefined_ref ? worst.cause : worst.region) + ".";
    finding.advice = "Let several threads create tasks (taskloop, recursive creation), or give each more work.";
  }
  add(std::move(finding), "starvation", mine);
}

/// Whoever creates tasks waits for each few of them: there are never more than those to run.
bool Judge::few_tasks_at_a_time(const Cells& mine, const std::string& seen) {
  constexpr std::uint64_t least = 5;  // waits
  std::uint64_t waits = 0, most = 0;
  RegionRef where = undefined_ref;
  for (const auto& [region, count] : account_.own_waits) {
    waits += count;
    if (count > most) most = count, where = region;
  }
  // Those that tasks create are others': where these are many, the wait is not what there are few for.
  if (waits < least || 10 * account_.own_creates < 9 * account_.creates) return false;
  const double each = share(account_.own_creates, waits);
  const AccountRow all = summary(mine);
  if (each >= static_cast<double>(team_of(all))) return false;
  Finding finding = at(where);
  finding.at = all.longest_at;
  const std::string few = each < 1.5 ? "each task" : formatted("each %.0f tasks", each);
  finding.text = seen + ": " + name(where) + " comes after " + few + ", " + format_count(waits) +
                 " times, and there are no more than these to run at the same time, for " + format_count(team_of(all)) +
                 " threads.";
  finding.advice =
      "Wait once, behind the loop that creates the tasks; where one task needs what another has done, depend() lets "
      "the "
      "rest go on.";
  sure(finding, "high");
  add(std::move(finding), "starvation", mine);
  return true;
}

}  // namespace tracer::report
