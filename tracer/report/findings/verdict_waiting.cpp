// SPDX-License-Identifier: BSD-3-Clause
// Findings about waiting: for the last thread at a barrier, and for locks.
#include <algorithm>
#include <cmath>
#include <map>

#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

/// ns; what is held shorter costs by being taken.
constexpr std::uint64_t short_hold = 1'000;

/// ns that recording may add to each wait for a lock: that of the holder is recorded while it has it.
constexpr std::uint64_t recording_of_a_wait = 120;

/// The next of 2, 5, 10, 20, 50... that is not less.
std::uint64_t round_figure(double value) {
  std::uint64_t ten = 1;
  while (static_cast<double>(ten) * 10 < value) ten *= 10;
  for (const std::uint64_t figure : {2 * ten, 5 * ten})
    if (value <= static_cast<double>(figure)) return figure;
  return 10 * ten;
}

}  // namespace

/// Barriers that come so often that meeting there takes its time, whoever is last.
void Judge::frequent_barriers() {
  struct Sum {
    std::uint64_t ns = 0, late = 0, uneven = 0, longest = 0, at = 0;
  };
  std::map<std::pair<RegionRef, RegionRef>, Sum> by_barrier;  // barrier, parallel region
  for (const AccountRow& row : account_.details) {
    const Directive kind = construct(row.region);
    if (kind != Directive::barrier && kind != Directive::implicit_barrier) continue;
    if ((row.place != Place::team && row.place != Place::imbalance) || is_small(row.parallel)) continue;
    Sum& sum = by_barrier[{row.region, row.parallel}];
    sum.ns += row.ns;
    (row.place == Place::team ? sum.late : sum.uneven) += row.count;
    if (row.longest > sum.longest) sum.longest = row.longest, sum.at = row.longest_at;
  }
  for (const ParallelRow& region : report_.parallels) {
    for (const auto& [key, sum] : by_barrier) {
      const std::uint64_t times = std::max(sum.late, sum.uneven);
      if (key.second != region.region || times < often || region.wall / times >= short_region) continue;
      Finding finding = at(key.first);
      finding.at = sum.at;
      finding.text =
          format("%s is met %s times, every %s: waiting at it and leaving it take %s.", name(key.first).c_str(),
                 format_count(times).c_str(), time(region.wall / times).c_str(), time(sum.ns).c_str());
      finding.advice =
          "Do more between two barriers: nowait where what follows does not need the result, loops joined to one, "
          "larger "
          "blocks.";
      sure(finding, "high");
      frequent_.push_back(key);
      add(std::move(finding), "frequent-barriers", sum.ns);
    }
  }
}

/// What kept the last thread: by that, the waiting of the others is one finding.
void Judge::imbalance() {
  std::map<std::pair<RegionRef, RegionRef>, AccountRow> by_cause;  // cause, parallel region
  for (const AccountRow& row : account_.details) {
    if (row.place != Place::imbalance || is_frequent(row.region, row.parallel)) continue;
    AccountRow& sum = by_cause[{row.cause == undefined_ref ? row.region : row.cause, row.parallel}];
    sum.region = row.region;
    sum.parallel = row.parallel;
    sum.threads = std::max(sum.threads, row.threads);
    sum.ns += row.ns;
    sum.count += row.count;
    if (row.longest > sum.longest) sum.longest = row.longest, sum.longest_at = row.longest_at;
  }
  for (const auto& [key, row] : by_cause)
    if (!is_small(key.second)) uneven(key.first, row);
}

void Judge::uneven(RegionRef cause, const AccountRow& row) {
  Finding finding = at(cause);
  finding.at = row.longest_at;
  const std::string waits = format("threads wait %s at %s", time(row.ns).c_str(), name(row.region).c_str());
  const std::string times = row.count > 1 ? format(", in %s executions", format_count(row.count).c_str()) : "";
  std::string id = "imbalance";
  const bool alone = role(cause) == RegionRole::single_sblock;
  switch (alone ? Directive::single : construct(cause)) {
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
      finding.text = "The sections of " + name(cause) + " differ in length: " + waits + times + ".";
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
    case Directive::task:
      finding.text = "Tasks of " + name(cause) + " keep one thread longer than the others: " + waits + times + ".";
      finding.advice = "Make the last tasks smaller, or create the long ones first (priority).";
      break;
    default:
      finding.text =
          "The threads of " + name(cause) + " have unequal work: " + waits + " for the slowest" + times + ".";
      finding.advice = for_region(cause);
      break;
  }
  const bool in_task = construct(cause) == Directive::task;
  finding.text += ran_meanwhile(in_task ? cause : row.parallel, Activity::barrier) + how_waited(row.region);
  add(std::move(finding), id, row.ns);
}

/// Loops whose chunks are so short that handing them out takes the time.
void Judge::small_chunks() {
  constexpr std::uint64_t short_chunk = 1'000;    // ns
  constexpr std::uint64_t handing_out = 250;      // ns: 50 with few threads and up to 500 where many ask at once
  constexpr std::uint64_t chunk_to_try = 20'000;  // ns
  for (const RegionRow& row : report_.regions) {
    const auto found = account_.loops.find(row.region);
    if (found == account_.loops.end() || found->second.chunks < often) continue;
    const LoopFacts& loop = found->second;
    const std::uint64_t each = row.exclusive / loop.chunks;
    if (each >= short_chunk) continue;
    const double iterations = share(loop.all_iterations, loop.chunks);
    const bool whole = iterations > 9.95 || std::abs(iterations - std::round(iterations)) < 0.05;
    Finding finding = at(row.region);
    finding.text = format(
        "%s hands out %s chunks of %.*f iteration%s, which take %s each: handing one out takes 50 to 500 ns of that, "
        "the more the more threads ask.",
        name(row.region).c_str(), format_count(loop.chunks).c_str(), whole ? 0 : 1, iterations,
        whole && iterations < 1.5 ? "" : "s", time(each).c_str());
    const std::uint64_t larger = round_figure(iterations * static_cast<double>(chunk_to_try) /
                                              static_cast<double>(std::max<std::uint64_t>(each, 1)));
    finding.advice =
        larger * 4 > loop.iterations
            ? "schedule(static): all of the loop takes too little time to be handed out in chunks that are worth it."
            : format(
                  "schedule(static) where iterations are alike; else larger chunks, as in schedule(dynamic, %llu), so "
                  "that one takes tens of microseconds.",
                  number(larger));
    sure(finding, "medium");
    add(std::move(finding), "small-chunks", loop.chunks * std::min(each, handing_out));
  }
}

std::string Judge::for_loop(RegionRef loop, std::uint32_t threads) const {
  const auto found = account_.loops.find(loop);
  const std::string schedule =
      found == account_.loops.end() || found->second.schedules.size() != 1 ? "" : *found->second.schedules.begin();
  const std::uint64_t iterations = found == account_.loops.end() ? 0 : found->second.iterations;
  if (iterations > 0 && iterations < 4 * std::uint64_t{threads})
    return format(
        "There are only %llu iterations for %u threads: make more and smaller ones (collapse, an inner loop, "
        "taskloop).",
        number(iterations), threads);
  if (schedule == "dynamic")
    return "Its schedule is dynamic already: smaller chunks, or begin with the costliest iterations, so that no long "
           "one "
           "comes last.";
  if (schedule == "guided")
    return "Its schedule is guided, whose first chunks are large: try schedule(dynamic) with a small chunk.";
  if (schedule == "static")
    return "Its schedule is static: try schedule(dynamic, chunk) or guided when the cost of iterations is not known "
           "before, schedule(static, 1) when it rises or falls steadily.";
  return "If its schedule is static, as by default: try schedule(dynamic, chunk) or guided.";
}

/// Code of a parallel region itself: no schedule will help.
std::string Judge::for_region(RegionRef cause) const {
  if (construct(cause) == Directive::parallel)
    return "The work is given out by the region's own code, or by a loop that the compiler does not report (GCC: "
           "static "
           "ones): spread it evenly, by cost rather than by number.";
  return "Spread the work of this part evenly over the threads.";
}

/// Of the locks that are waited for there.
LockTotals Judge::held_at(RegionRef region) const {
  LockTotals sum;
  for (const LockRow& row : report_.locks) {
    if (row.region != region) continue;
    sum.acquisitions += row.acquisitions;
    sum.held += row.held;
  }
  return sum;
}

void Judge::locks() {
  struct Sum {
    std::uint64_t ns = 0, count = 0, longest = 0, at = 0, holder_ns = 0;
    RegionRef holder = undefined_ref;
  };
  std::map<RegionRef, Sum> by_region;
  for (const AccountRow& row : account_.details) {
    if (row.place != Place::locks && row.place != Place::exclusive) continue;
    Sum& sum = by_region[row.region];
    sum.ns += row.ns;
    sum.count += row.count;
    if (row.longest > sum.longest) sum.longest = row.longest, sum.at = row.longest_at;
    if (row.ns > sum.holder_ns) sum.holder_ns = row.ns, sum.holder = row.cause;
  }
  for (const auto& [region, sum] : by_region) {
    const std::uint64_t recording = is_perturbed() ? std::min(sum.ns, sum.count * recording_of_a_wait) : 0;
    Finding finding = at(region);
    finding.at = sum.at;
    const bool ordered = role(region) == RegionRole::ordered, atomic = role(region) == RegionRole::atomic;
    finding.text = format("Threads wait %s at %s, %s times, the longest %s", time(sum.ns).c_str(), name(region).c_str(),
                          format_count(sum.count).c_str(), time(sum.longest).c_str());
    if (sum.holder != undefined_ref && !ordered) finding.text += "; most of it was held at " + name(sum.holder);
    finding.text += "." + how_waited(region);
    const LockTotals held = held_at(region);
    const bool is_brief = held.acquisitions >= often && held.held / held.acquisitions < short_hold;
    if (is_brief && !ordered)
      finding.text += " It is taken " + format_count(held.acquisitions) + " times and held for " +
                      time(held.held / held.acquisitions) + ": taking it is what takes the time.";
    finding.advice = ordered  ? "Only what must be in order belongs into ordered; the loop before it needs a schedule "
                                "with small chunks "
                                "(static, 1) so that neighbours run at the same time."
                     : atomic ? "Let each thread sum up for itself and combine once (reduction)."
                     : is_brief
                         ? "Take it less often: give each thread its own copy and combine once (reduction), protect a "
                           "block of iterations at a time, or ask before whether there is anything to do."
                         : "Do less while holding it, use several locks for independent data, or give each "
                           "thread its own copy and "
                           "combine once (reduction).";
    if (recording != 0)
      finding.text += " Up to " + time(recording) + " of that is what recording adds; it is not counted as lost.";
    sure(finding, recording == 0 ? "high" : "medium");
    add(std::move(finding), ordered ? "ordered" : "contention", sum.ns - recording);
  }
}

}  // namespace tracer::report
