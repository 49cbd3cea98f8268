// SPDX-License-Identifier: BSD-3-Clause
// What samples and scheduling add to findings: which code ran while threads waited, and whether they ran themselves.
#include <algorithm>
#include <map>

#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t least_of_kernel = 200'000'000;  ///< ns of processor time: the start of a process has much of it

}  // namespace

/// Within a parallel region or task, or outside of all (undefined_ref): the code that ran most while others waited.
std::string Judge::ran_meanwhile(RegionRef construct, Activity waiting) const {
  std::uint64_t all = 0, most = 0;
  const BlameRow* best = nullptr;
  for (const BlameRow& row : report_.samples.blame) {
    const std::uint64_t ns = row.ns[static_cast<std::size_t>(waiting)];
    if (row.construct != construct || ns == 0) continue;
    all += ns;
    if (ns > most) most = ns, best = &row;
  }
  if (best == nullptr) return "";
  const std::string place = place_text(best->file, best->line);
  return formatted(" Meanwhile %s%s ran, %.0f %% of what was sampled.", best->name.c_str(),
                   place.empty() ? "" : (" (" + place + ")").c_str(), 100 * share(most, all));
}

/// Worth a word when a part of the waiting was not the thread's own doing.
std::string Judge::how_waited(RegionRef region) const {
  std::uint64_t all = 0, slept = 0, preempted = 0;
  for (const WaitRow& row : report_.samples.waits) {
    if (row.region != region) continue;
    all += row.ns;
    slept += row.slept;
    preempted += row.preempted;
  }
  if (share(slept + preempted, all) < 0.05) return "";
  return formatted(" Of the waiting %.0f %% was asleep and %.0f %% preempted.", 100 * share(slept, all),
                   100 * share(preempted, all));
}

/// What the kernel did for the program, where that is much: system calls, page faults. By samples where these could see
/// it, else by the process' own times.
void Judge::time_in_the_kernel() {
  constexpr double much = 0.2;
  const RunFacts& facts = report_.facts;
  const SampleReport& samples = report_.samples;
  const FunctionRow* most = nullptr;
  std::uint64_t working = 0;
  for (const FunctionRow& row : samples.functions) {
    working += row.self;
    if (row.kernel != 0 && (most == nullptr || row.kernel > most->kernel)) most = &row;
  }
  const double sampled = share(samples.kernel, working), whole = share(facts.system_ns, facts.processor_ns);
  if (most != nullptr ? sampled < much : whole < much || facts.processor_ns < least_of_kernel) return;
  std::string text;
  if (most != nullptr) {
    const std::string place = place_text(most->file, most->line);
    text = formatted("The kernel had %.0f %% of the time that the program's code ran, most of it for %s%s, %.0f %%.",
                     100 * sampled, most->name.c_str(), place.empty() ? "" : (" (" + place + ")").c_str(),
                     100 * share(most->kernel, working));
  } else {
    text = formatted("The kernel had %.0f %% of the process' processor time, %s.", 100 * whole,
                     time(facts.system_ns).c_str());
  }
  // A page fault takes about a microsecond, and more where many threads have them at the same time.
  constexpr std::uint64_t of_a_fault = 1000;  // ns
  if (4 * facts.page_faults * of_a_fault > facts.system_ns && facts.page_faults != 0)
    text += " There were " + format_count(facts.page_faults) + " page faults, " +
            time(facts.system_ns / facts.page_faults) +
            " of that for each: memory that is used for the first time. Allocate once and use it again instead of "
            "giving it back (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD of mallopt), let the threads that use it touch it "
            "first, or use huge pages.";
  else
    text += " System calls (files, sleeping, locks that are contended) take it.";
  note("kernel-time", text);
}

/// The scheduler took processors away from the program's own work.
void Judge::preempted_work() {
  std::uint64_t lost = 0;
  const SampleThreadRow* most = nullptr;
  for (const SampleThreadRow& row : report_.samples.threads) {
    lost += row.preempted_working;
    if (most == nullptr || row.preempted_working > most->preempted_working) most = &row;
  }
  // The kernel's own sum is the account's; samples show whose, and that it was work.
  Cells mine = part_of(cells([](const AccountRow& row) {
                         return row.place == Place::descheduled && (row.of == Place::work || row.of == Place::serial);
                       }),
                       lost);
  // Where the kernel gave no sum the work has it.
  for (const std::size_t cell : mine.empty() ? cells_of(Place::work) : Cells{})
    if (const std::uint64_t left = lost - std::min(lost, sum(mine)); left != 0)
      mine.push_back(split(cell, left, Place::descheduled));
  if (sum(mine) == 0) return;
  lost = sum(mine);
  Finding finding;
  finding.text = formatted("Threads were preempted for %s while they worked; most of all %s, %s.", time(lost).c_str(),
                           most->name.c_str(), time(most->preempted_working).c_str());
  finding.advice =
      "Something else ran on their processors: other programs, or more threads than processors. Use as many threads "
      "as processors, leave one to the others, or bind threads (OMP_PROC_BIND).";
  sure(finding, "high");
  add(std::move(finding), "preempted", mine);
}

}  // namespace tracer::report
