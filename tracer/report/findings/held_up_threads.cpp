// SPDX-License-Identifier: BSD-3-Clause
// Beside other load a thread that works loses its processor, and others of its team wait for it: that waiting is the
// machine's, and no disease of the program.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "tracer/base/text.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

/// All others may wait for the one that has no processor. Where threads sleep while they wait, waking them is in what
/// work lacks as well: programs of which nothing else is wrong waited up to 0.9 times as long beside a busy loop on
/// each processor, those in which threads wait for each other 2 to 11 times (tests/diseases).
constexpr double most_of_sleepers = 1.5;

/// Each process of a job has its own runtimes and processors.
bool some_wait_actively(const Report& report) {
  if (report.processes.size() < 2) return waits_actively(report.facts);
  return std::any_of(report.processes.begin(), report.processes.end(),
                     [](const ProcessRow& process) { return waits_actively(process.facts); });
}

}  // namespace

/// Whether who is late for that is at work: who is inside of MPI, in a lock, or waits for a device, waits for something
/// else than a processor.
bool Judge::is_at_work(RegionRef cause) const {
  const bool on_device = cause < classes_.size() && classes_[cause].activity == Activity::device;
  return construct(cause) != Directive::mpi && construct(cause) != Directive::lock && !on_device;
}

/// How long work could have run and had no processor.
std::uint64_t Judge::delayed_work() const {
  std::uint64_t delayed = 0;
  for (const AccountRow& row : account_.details)
    if (row.place == Place::descheduled && row.of == Place::work) delayed += row.ns;
  return delayed;
}

/// Of the work in the regions of these cells: how long it could have run and had no processor. The kernel reports that
/// of each thread; a region has its share, and of that each of its barriers as much as it has of what is waited there.
std::uint64_t Judge::held_up_work(const Cells& mine) const {
  std::set<RegionRef> regions;
  for (const std::size_t cell : mine) regions.insert(account_.details[cell].parallel);
  std::uint64_t here = 0, waited = 0;
  for (const AccountRow& row : account_.details) {
    if (!regions.contains(row.parallel)) continue;
    if (row.place == Place::work) here += row.ns;
    if (row.is(Place::starvation) || (row.is(Place::imbalance) && is_at_work(row.cause))) waited += row.ns;
  }
  const double part = share(here, account_.at(Place::work)) * std::min(1.0, share(sum(mine), waited));
  return static_cast<std::uint64_t>(part * static_cast<double>(delayed_work()));
}

/// What threads would wait for the one of their process that computes most, with a processor for each at all times: by
/// what they ran at work, which the delay of one does not make more.
std::uint64_t Judge::unequal_computing() const {
  struct Process {
    std::uint64_t most = 0, all = 0, threads = 0;
  };
  std::map<std::uint32_t, Process> processes;
  for (const AccountThread& row : account_.rows) {
    if (row.ns[static_cast<std::size_t>(Place::work)] == 0) continue;
    Process& process = processes[definitions_.locations[row.location].group];
    process.most = std::max(process.most, row.ran_at_work);
    process.all += row.ran_at_work;
    ++process.threads;
  }
  std::uint64_t waiting = 0;
  for (const auto& [group, process] : processes) waiting += process.threads * process.most - process.all;
  return waiting;
}

/// Whether all of that waiting may come from threads that had no processor. Where work is distributed on request,
/// a thread without a processor gets less of it: unequal computing proves nothing then.
bool Judge::is_held_up(const Cells& mine, bool is_handed_out) {
  const std::uint64_t waiting = sum(mine), delayed = held_up_work(mine);
  const std::uint32_t threads = std::max(2u, summary(mine).threads);
  const double most = some_wait_actively(report_) ? threads - 1 : most_of_sleepers;
  if (static_cast<double>(waiting) > most * static_cast<double>(delayed)) return false;
  if (!is_handed_out && 2 * unequal_computing() >= waiting) return false;
  HeldUp& here = waited_[summary(mine).region];
  here.ns += waiting;
  here.delayed += delayed;
  held_up_.insert(held_up_.end(), mine.begin(), mine.end());
  return true;
}

/// Whether threads come late to a region because they woke without a processor.
bool Judge::is_late_by_load(const Cells& mine) {
  std::uint64_t delayed = 0;
  for (const AccountThread& row : account_.rows) delayed += row.facts.delay;
  const std::uint64_t late = sum(mine);
  if (late > delayed) return false;
  HeldUp& here = came_late_[summary(mine).region];
  here.ns += late;
  here.delayed = delayed;
  held_up_.insert(held_up_.end(), mine.begin(), mine.end());
  return true;
}

/// A note for each place: several causes may have held threads up there.
void Judge::note_held_up() {
  for (const auto& [region, here] : came_late_)
    if (share(here.ns, there()) >= least_held_up)
      note("held-up",
           formatted(
               "Threads come to %s and leave it %s late in all. They could have run for %s more and had no processor: "
               "others on the machine may be all the reason, and it is no finding.",
               name(region).c_str(), time(here.ns).c_str(), time(here.delayed).c_str()));
  for (const auto& [region, here] : waited_)
    if (share(here.ns, there()) >= least_held_up)
      note("held-up",
           formatted("Threads wait %s at %s. Those that worked meanwhile could have run for %s more and had no "
                     "processor: others on the machine may be all the reason, and it is no finding.",
                     time(here.ns).c_str(), name(region).c_str(), time(here.delayed).c_str()));
}

}  // namespace tracer::report
