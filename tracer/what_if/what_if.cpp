// SPDX-License-Identifier: BSD-3-Clause
// See what_if.hpp: what a task costs, and one pass that models and simulates every region.
#include "tracer/what_if/what_if.hpp"

#include <algorithm>

#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/report/measures/account.hpp"
#include "tracer/report/mpi/collectives.hpp"
#include "tracer/what_if/modeller.hpp"

namespace tracer::report {
namespace {

/// What a task cost beside its work and its creation, which is its creator's in the model, too. By the account: a pass
/// of its own, for programs with tasks only.
std::uint64_t recorded_task_overhead(EventSource& source) {
  const auto& regions = source.definitions().regions;
  if (std::none_of(regions.begin(), regions.end(),
                   [](const Region& region) { return region.role == RegionRole::task_create; }))
    return 0;
  Replay replay{source.definitions()};
  Accountant accountant{source.definitions(), replay};
  replay.add(accountant);
  source.read(replay);
  replay.finish();
  const Account account = accountant.account();
  return account.tasks == 0 ? 0 : (account.at(Place::tasking) - account.creating) / account.tasks;
}

}  // namespace

std::string WhatIf::why_none() const {
  if (threads < 2 || !lacks.lacks(record_sync)) return "";
  return "barriers are not recorded: what threads wait there looks like work";
}

std::vector<std::string> WhatIf::doubts() const {
  std::vector<std::string> sentences;
  if (lacks.is_cut) sentences.emplace_back("The run was killed: these times are of what was recorded until then.");
  if (lacks.events != 0)
    sentences.push_back("The trace is incomplete: " + format_counted(lacks.events, "event") +
                        " or more are missing, and times are too small.");
  if (!lacks.filter.empty())
    sentences.push_back("Regions are left out (" + lacks.filter +
                        "): their time counts as work of what is around them.");
  if (lacks.ranks) sentences.emplace_back("Ranks are missing: what others wait for them stays as recorded.");
  if (lacks.misleads()) sentences.push_back(lacks.consequences());
  if (paused != 0)
    sentences.push_back("Recording was off for " + duration_text(paused) + ": these times are without that.");
  return sentences;
}

WhatIf what_if(EventSource& source, const std::vector<Scenario>& scenarios,
               const std::function<void(double)>& progress) {
  Replay replay{source.definitions()};
  RankModel ranks{source.definitions(), scenarios.size() + 1};
  MpiMessages messages{source.definitions(), replay, ranks};
  MpiCollectives collectives{source.definitions(), replay, ranks};
  Modeller modeller{source.definitions(), replay, scenarios, recorded_task_overhead(source), ranks};
  ReadingProgress ticks{source.number_of_events(), progress};
  replay.add(modeller);  // before those that report its calls
  if (ranks.any()) {
    replay.add(messages);
    replay.add(collectives);
  }
  replay.add(ticks);
  source.read(replay);
  replay.finish();
  WhatIf result;
  result.lacks = what_is_not_recorded(source.definitions());
  modeller.fill(result);
  return result;
}

}  // namespace tracer::report
