// SPDX-License-Identifier: BSD-3-Clause
// Findings about waiting: for the last thread at a barrier, and for locks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

/// ns; what is held shorter costs by being taken.
constexpr std::uint64_t short_hold = 1'000;

/// ns that recording adds to each wait for a lock: that of mutex_acquired, while the holder has it; mutex_released
/// comes behind the release.
constexpr std::uint64_t recording_of_a_wait = 25;

constexpr std::string_view waiting = " wait";
bool is_wait_in_barrier(const RegionClass& which) {
  return which.label.ends_with(waiting);
}
/// A barrier and the waiting in it are one, by kind and place.
using BarrierKey = std::pair<std::string, std::string>;
BarrierKey barrier_of(const RegionClass& which) {
  const std::size_t more = is_wait_in_barrier(which) ? waiting.size() : 0;
  return {which.label.substr(0, which.label.size() - more), which.location};
}

}  // namespace

/// Barriers that come so often that meeting there takes its time, whoever is last: those of one region are one finding.
void Judge::frequent_barriers() {
  const std::unordered_map<RegionRef, Cells> by_parallel = cells_by_parallel([this](const AccountRow& row) {
    return is_barrier(construct(row.region)) && (row.is(Place::team) || row.is(Place::imbalance));
  });
  for (const ParallelRow& region : report_.parallels) {
    const auto found = by_parallel.find(region.region);
    if (found == by_parallel.end()) continue;
    Cells mine = found->second;
    struct Met {
      RegionRef barrier = undefined_ref;
      std::uint64_t left = 0, waited = 0;  // by threads
    };
    std::map<BarrierKey, Met> met;
    for (const std::size_t cell : mine) {
      const AccountRow& row = account_.details[cell];
      const RegionClass& which = classes_[row.region];
      Met& here = met[barrier_of(which)];
      if (!is_wait_in_barrier(which) || here.barrier == undefined_ref) here.barrier = row.region;
      (row.place == Place::team ? here.left : here.waited) += row.count;
    }
    std::uint64_t times = 0, most = 0;
    RegionRef barrier = undefined_ref;
    for (const auto& [which, counts] : met) {
      const std::uint64_t here = std::max(counts.left, counts.waited);
      times += here;
      if (here > most) most = here, barrier = counts.barrier;
    }
    if (times < often || !is_short(region, times)) continue;
    const bool has_load = without_load(region, mine);
    if (mine.empty()) continue;
    const AccountRow all = summary(mine);
    Finding finding = at(barrier);
    finding.at = all.longest_at;
    const std::string who = met.size() == 1
                                ? name(barrier) + " is"
                                : formatted("%s and %zu other barrier%s of %s are", name(barrier).c_str(),
                                            met.size() - 1, met.size() == 2 ? "" : "s", name(region.region).c_str());
    finding.text =
        who + formatted(has_load ? " met %s times, every %s: leaving takes %s."
                                 : " met %s times, every %s: waiting there and leaving take %s.",
                        format_count(times).c_str(), time(region.wall / times).c_str(), time(all.ns).c_str());
    finding.advice =
        "Do more between two barriers: nowait where what follows does not need the result, loops joined to one, larger "
        "blocks.";
    sure(finding, "high");
    add(std::move(finding), "frequent-barriers", mine);
  }
}

/// What kept the last thread: by that, the waiting of the others is one finding.
void Judge::imbalance() {
  std::map<std::pair<RegionRef, RegionRef>, Cells> by_cause;  // cause, parallel region
  for (const std::size_t cell : cells_of(Place::imbalance)) {
    const AccountRow& row = account_.details[cell];
    by_cause[{row.cause == undefined_ref ? row.region : row.cause, row.parallel}].push_back(cell);
  }
  for (const auto& [key, mine] : by_cause) uneven(key.first, summary(mine), mine);
}

/// Whether its iterations go to the first thread that requests them.
bool Judge::is_handed_out(RegionRef loop) const {
  if (construct(loop) == Directive::task) return true;
  const auto found = account_.loops.find(loop);
  if (found == account_.loops.end()) return false;
  const auto& schedules = found->second.schedules;
  return found->second.chunks != 0 || schedules.contains("dynamic") || schedules.contains("guided");
}

/// Where the threads of these cells wait: " at A", or " at 2 barriers, most of it, 1.2 s, at A".
Judge::Barriers Judge::barriers_of(const Cells& mine) const {
  constexpr double least = 0.05;  // of the waiting at the longest one
  struct Here {
    std::uint64_t ns = 0, count = 0;
  };
  std::map<BarrierKey, Here> all;
  for (const std::size_t cell : mine) {
    const AccountRow& row = account_.details[cell];
    Here& here = all[row.region < classes_.size() ? barrier_of(classes_[row.region]) : BarrierKey{}];
    here.ns += row.ns;
    here.count += row.count;
  }
  Barriers result;
  std::uint64_t longest = 0;
  for (const auto& [which, here] : all) longest = std::max(longest, here.ns);
  for (const auto& [which, here] : all) {
    if (share(here.ns, longest) >= least) ++result.number, result.times += here.count;
    result.most = std::max(result.most, here.count);
  }
  result.text = " at " + name(summary(mine).region);
  if (result.number > 1)
    result.text =
        " at " + std::to_string(result.number) + " barriers, most of it, " + time(longest) + "," + result.text;
  return result;
}

void Judge::uneven(RegionRef cause, const AccountRow& row, const Cells& mine) {
  if (is_at_work(cause) && is_held_up(mine, is_handed_out(cause))) return;
  const bool on_device = cause < classes_.size() && classes_[cause].activity == Activity::device;
  Finding finding = at(cause);
  finding.at = row.longest_at;
  const Barriers barriers = barriers_of(mine);
  const std::string waits = "threads wait " + time(row.ns) + barriers.text;
  // A region's own code is before each of its barriers; the team's barrier at its end comes behind another cause's own.
  const bool is_each = barriers.number > 1 && cause == row.parallel;
  const std::uint64_t count = is_each ? barriers.times : barriers.most;
  const std::string times =
      count > 1 ? formatted(is_each ? ", %s times" : ", in %s executions", format_count(count).c_str()) : "";
  std::string id = "imbalance";
  const bool alone = role(cause) == RegionRole::single_sblock;
  switch (alone ? Directive::single : on_device ? Directive::target : construct(cause)) {
    case Directive::single:
    case Directive::masked:
      id = "single";
      finding.text =
          "One thread alone works in " + name(cause) + " while the others have nothing to do: " + waits + times + ".";
      finding.advice =
          "Share that work (a worksharing loop, tasks), or let the others go on with nowait where what follows "
          "does not need it.";
      sure(finding, "high");
      break;
    case Directive::loop:
      finding.text = "The iterations of " + name(cause) + " are unevenly spread: " + waits +
                     " until the slowest is done" + times + ".";
      finding.advice = for_loop(cause, row.threads);
      sure(finding, "high");
      break;
    case Directive::sections:
      finding.text = "The sections of " + name(cause) + " are unevenly spread over the threads: " + waits + times + ".";
      finding.advice = "Make sections of equal work, more than there are threads, or use tasks.";
      sure(finding, "high");
      break;
    case Directive::lock:
      finding.text = "Threads come late to " + name(row.region) + " because they waited in " + name(cause) + ": " +
                     waits + times + ".";
      finding.advice = "See to " + name(cause) + " first.";
      break;
    case Directive::mpi:
      id = "mpi-in-team";
      finding.text = "One thread is in " + name(cause) + " while the others have come to " + name(row.region) + ": " +
                     waits + times + ".";
      finding.advice =
          "Let the others work on what does not need the message, or the communication begin earlier and end later "
          "(non-blocking calls).";
      sure(finding, "high");
      break;
    case Directive::target:
      finding.text = "One thread waits for a device in " + name(cause) + " while the others have come to " +
                     name(row.region) + ": " + waits + times + ".";
      finding.advice =
          "Where one thread alone uses the device: target nowait with depend, and work for the others meanwhile "
          "(tasks, nowait). Where several do: give each device work by its speed, or let threads that are done first "
          "take the next part (small chunks, tasks).";
      sure(finding, "high");
      break;
    case Directive::task:
      finding.text = "Tasks of " + name(cause) + " keep one thread longer than the others: " + waits + times + ".";
      finding.advice = std::string("Make the last tasks smaller, create the long ones first, or give those ") +
                       priority_of_tasks + ".";
      break;
    case Directive::parallel:
      if (cause != row.parallel) {
        finding.text = "One thread is in " + name(cause) +
                       ", a region inside of theirs, while the others have come to " + name(row.region) + ": " + waits +
                       times + ".";
        finding.advice =
            "Spread what the inner regions do evenly over the threads outside, or give an inner region with more to do "
            "more threads.";
        break;
      }
      [[fallthrough]];
    default:
      finding.text =
          "The threads of " + name(cause) + " have unequal work: " + waits + " for the slowest" + times + ".";
      finding.advice = for_region(cause);
      break;
  }
  const bool in_task = construct(cause) == Directive::task;
  finding.text += ran_meanwhile(in_task ? cause : row.parallel, Activity::barrier) + how_waited(row.region);
  add(std::move(finding), id, mine);
}

std::string Judge::for_loop(RegionRef loop, std::uint32_t threads) const {
  const auto found = account_.loops.find(loop);
  const std::string schedule =
      found == account_.loops.end() || found->second.schedules.size() != 1 ? "" : *found->second.schedules.begin();
  const std::uint64_t iterations = found == account_.loops.end() ? 0 : found->second.iterations;
  if (iterations > 0 && iterations < 4 * std::uint64_t{threads})
    return formatted(
        "There are only %llu iterations for %u threads: make more and smaller ones (collapse, an inner loop, "
        "taskloop).",
        number(iterations), threads);
  const bool one_at_a_time = found != account_.loops.end() && found->second.chunks != 0 &&
                             found->second.all_iterations < 2 * found->second.chunks;
  if (schedule == "dynamic" && one_at_a_time)
    return "Its schedule is dynamic already, an iteration at a time: no schedule is finer. Split the costliest "
           "iterations (their inner loop by tasks, taskloop or a parallel region of its own), or begin with them, so "
           "that "
           "no long one comes last.";
  if (schedule == "dynamic")
    return "Its schedule is dynamic already: smaller chunks, or begin with the costliest iterations, so that no long "
           "one "
           "comes last.";
  if (schedule == "guided")
    return "Its schedule is guided, whose first chunks are large: try schedule(dynamic) with a small chunk.";
  if (schedule == "static")
    return "Its schedule is static: try schedule(dynamic, chunk) or guided when the cost of iterations is not known "
           "before, schedule(static, 1) when it rises or falls steadily.";
  return "If its schedule is static, as by default: try schedule(dynamic, chunk) or guided. If it is dynamic already: "
         "split "
         "the costliest iterations, or begin with them.";
}

/// Code of a parallel region itself: no schedule will help.
std::string Judge::for_region(RegionRef cause) const {
  if (construct(cause) == Directive::parallel)
    return std::string{"The work is given out by the region's own code, or by a loop that "} +
           (lacks_.lacks(record_work) ? "is not recorded" : "the compiler does not report (GCC: static ones)") +
           ": spread it evenly, by cost rather than by number.";
  return "Spread the work of this part evenly over the threads.";
}

/// Of all locks: what is taken there.
LockTotals Judge::held_at(RegionRef region) const {
  const auto found = report_.locks_at.find(region);
  return found == report_.locks_at.end() ? LockTotals{} : found->second;
}

/// Who waited for a lock comes late to the barrier: what others wait there, `behind`, is lost by that lock as well.
std::string Judge::with_waits_behind(Cells& mine, const Cells& behind) const {
  if (behind.empty()) return "";
  mine.insert(mine.end(), behind.begin(), behind.end());
  return " Threads come late for that, and others wait " + time(sum(behind)) + barriers_of(behind).text + ": " +
         time(sum(mine)) + " in all.";
}

void Judge::locks() {
  std::map<RegionRef, Cells> by_region, behind;  // behind: waits at barriers for who waited there
  for (const std::size_t cell :
       cells([](const AccountRow& row) { return row.is(Place::locks) || row.is(Place::exclusive); }))
    by_region[account_.details[cell].region].push_back(cell);
  if (!is_perturbed() && !lacks_.lacks(record_tasks))
    for (const std::size_t cell : cells_of(Place::imbalance))
      if (const RegionRef cause = account_.details[cell].cause; cause != undefined_ref) behind[cause].push_back(cell);
  for (auto& [region, mine] : by_region) {
    if (is_doacross(region)) {
      doacross(region, mine, behind[region]);
      continue;
    }
    const AccountRow all = summary(mine);
    const bool has_holder = std::any_of(mine.begin(), mine.end(),
                                        [this](auto cell) { return account_.details[cell].cause != undefined_ref; });
    if (held_at(region).acquisitions != 0 && !has_holder)
      continue;  // nobody had them: a thread without a processor, for one
    // It lies where somebody had the lock meanwhile.
    std::uint64_t recording = 0;
    for (const std::size_t cell : mine) {
      const AccountRow& row = account_.details[cell];
      const std::uint64_t ns = std::min(row.ns, row.count * recording_of_a_wait);
      if (!is_perturbed() || row.cause == undefined_ref || ns == 0) continue;
      recording += ns;
      split(cell, ns, Place::tool);
    }
    std::uint64_t waits = 0;  // where nobody had the lock, nobody waited for it
    for (const std::size_t cell : mine)
      if (account_.details[cell].cause != undefined_ref) waits += account_.details[cell].count;
    if (waits == 0) waits = all.count;
    Finding finding = at(region);
    finding.at = all.longest_at;
    const bool ordered = role(region) == RegionRole::ordered, atomic = role(region) == RegionRole::atomic;
    finding.text = formatted("Threads wait %s at %s, %s, the longest %s", time(sum(mine)).c_str(), name(region).c_str(),
                             waits == 1 ? "once" : (format_count(waits) + " times").c_str(), time(all.longest).c_str());
    if (!ordered) finding.text += held_by(mine);
    finding.text += "." + how_waited(region);
    const RegionRef holder = all.cause;
    const RegionRef kept_at = holder != undefined_ref ? holder : region;  // what the others wait for
    const LockTotals held = held_at(kept_at);
    const bool is_brief = held.acquisitions >= often && held.held / held.acquisitions < short_hold;
    if (is_brief && !ordered)
      finding.text += " It is taken " + format_count(held.acquisitions) + " times" +
                      (kept_at == region ? "" : " at " + name(kept_at)) + " and held for " +
                      time(held.held / held.acquisitions) + ": taking it is what takes the time.";
    finding.advice = ordered  ? "Only what must be in order belongs into ordered; the loop around it needs a schedule "
                                "with small chunks "
                                "(static, 1) so that neighbours run at the same time."
                     : atomic ? "Let each thread sum up for itself and combine once (reduction)."
                     : is_brief
                         ? "Take it less often: give each thread its own copy and combine once (reduction), protect a "
                           "block of iterations at a time, or check first whether there is anything to do."
                     : holder != undefined_ref && holder != region
                         ? "Do less at " + name(holder) + " while holding it: that is what the others wait for."
                         : "Do less while holding it, use several locks for independent data, or give each "
                           "thread its own copy and "
                           "combine once (reduction).";
    if (recording != 0)
      finding.text += " About " + time(all.ns - sum(mine)) + " beside that is what recording adds, and not counted.";
    finding.text += with_waits_behind(mine, behind[region]);
    sure(finding, recording == 0 ? "high" : "medium");
    add(std::move(finding), ordered ? "ordered" : "contention", mine);
  }
  for (const RegionRow& row : report_.regions) unseen_sinks(row);
}

/// A loop whose iterations depend on each other is worth a word also where they do not wait for long.
void Judge::unseen_sinks(const RegionRow& row) {
  if (row.region >= classes_.size() || !classes_[row.region].label.starts_with("doacross sink")) return;
  const std::string place = definitions_.regions[row.region].name;
  if (std::any_of(verdict_.findings.begin(), verdict_.findings.end(),
                  [&](const Finding& finding) { return finding.name == place; }))
    return;
  std::uint64_t waited = 0;
  for (const AccountRow& cell : account_.details)
    if (cell.place == Place::exclusive && cell.region == row.region) waited += cell.ns;
  note("doacross",
       formatted(
           "Iterations at %s depend on others of their loop (doacross), %s times; they wait about %s for these, by the "
           "times at which they were done. Runtimes do not report when such a wait begins.",
           name(row.region).c_str(), format_count(row.count).c_str(), time(waited).c_str()));
}

/// "; meanwhile it was held at A for 2 s, at B for 1 s".
std::string Judge::held_by(const Cells& mine) const {
  constexpr std::size_t most = 3;
  std::map<RegionRef, std::uint64_t> by_holder;
  for (const std::size_t cell : mine) by_holder[account_.details[cell].cause] += account_.details[cell].ns;
  by_holder.erase(undefined_ref);
  std::vector<std::pair<RegionRef, std::uint64_t>> holders(by_holder.begin(), by_holder.end());
  std::stable_sort(holders.begin(), holders.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, holders.size()); ++i) {
    if (i > 0 && share(holders[i].second, sum(mine)) < 0.05) break;
    text += (i == 0 ? "; meanwhile it was held at " : ", at ") + name(holders[i].first) + " (" +
            time(holders[i].second) + ")";
  }
  return text;
}

bool Judge::is_doacross(RegionRef region) const {
  return region < classes_.size() && classes_[region].label.starts_with("doacross");
}

/// Iterations that wait for others of their loop. When a thread came there is not in a trace: estimated.
void Judge::doacross(RegionRef sink, Cells mine, const Cells& behind) {
  const AccountRow all = summary(mine);
  Finding finding = at(sink);
  finding.at = all.longest_at;
  finding.text = formatted(
      "Iterations wait %s for those that they depend on, at %s, %s times, the longest %s: by the times at which these "
      "were done.",
      time(all.ns).c_str(), name(sink).c_str(), format_count(all.count).c_str(), time(all.longest).c_str());
  finding.text += with_waits_behind(mine, behind);
  finding.advice =
      "Only iterations that do not depend on each other run at the same time: do what needs no other before the sink, "
      "signal (source) as soon as what others need is there, put several iterations into a block, or go through the "
      "loops in another order (wavefronts).";
  sure(finding, "medium");
  add(std::move(finding), "ordered", std::move(mine));
}

}  // namespace tracer::report
