// SPDX-License-Identifier: BSD-3-Clause
// What samples and scheduling add to findings: which code ran while threads waited, and whether they ran themselves.
#include <algorithm>
#include <map>

#include "tracer/base/units.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {

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
  return format(" Meanwhile %s%s ran, %.0f %% of what was sampled.", best->name.c_str(),
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
  return format(" Of the waiting %.0f %% was asleep and %.0f %% preempted.", 100 * share(slept, all),
                100 * share(preempted, all));
}

/// The scheduler took processors away from the program's own work.
void Judge::preempted_work() {
  std::uint64_t lost = 0;
  const SampleThreadRow* most = nullptr;
  for (const SampleThreadRow& row : report_.samples.threads) {
    lost += row.preempted_working;
    if (most == nullptr || row.preempted_working > most->preempted_working) most = &row;
  }
  if (lost == 0) return;
  Finding finding;
  finding.text = format("Threads were preempted for %s while they worked; most of all %s, %s.", time(lost).c_str(),
                        most->name.c_str(), time(most->preempted_working).c_str());
  finding.advice =
      "Something else ran on their processors: other programs, or more threads than processors. Use as many threads "
      "as processors, leave one to the others, or bind threads (OMP_PROC_BIND).";
  sure(finding, "high");
  add(std::move(finding), "preempted", lost);
}

}  // namespace tracer::report
