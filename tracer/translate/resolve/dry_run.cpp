// SPDX-License-Identifier: BSD-3-Clause
// See dry_run.hpp.
#include "tracer/translate/resolve/dry_run.hpp"

#include <algorithm>
#include <numeric>

#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/resolve/relations.hpp"
#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {
namespace {

/// Rounds, each of which takes out something. Then all goes that could contradict.
constexpr int most_rounds = 12;

class Contradictions {
 public:
  Contradictions(Tables& tables, Definitions& definitions, Repairs& repairs)
      : tables_(tables), definitions_(definitions), repairs_(repairs) {}

  /// Takes out what is broken. False: nothing was.
  bool mend(const Relations& relations) {
    const std::vector<ParallelId> teams = relations.broken_teams();
    for (const ParallelId id : teams) mend_team(*tables_.parallel(id));
    if (!teams.empty()) return true;  // that says more of tasks
    const std::vector<TaskId> tasks = relations.broken_tasks();
    for (const TaskId id : tasks) leave_out(id);
    tidy();
    return !tasks.empty();
  }

  void leave_out_all() {
    for (ChannelScan& scan : tables_.channels)
      for (ParallelInstance& p : scan.parallels) leave_out(p);
    for (auto& begins : tables_.task_begins) std::fill(begins.begin(), begins.end(), Ticks{0});
    tidy();
  }

 private:
  void mend_team(ParallelInstance& p) {
    if (p.alone) {
      repairs_.note(Repair::team_left_out);
      return leave_out(p);
    }
    repairs_.note(Repair::team_left_to_master);
    leave_to_master(tables_, p, definitions_);
  }
  /// As one that begins and ends in a pause: its threads go on as what they were.
  static void leave_out(ParallelInstance& p) {
    if (p.size == 0) return;
    p.size = 0;
    p.comm = undefined_ref;
  }
  void leave_out(TaskId id) {
    repairs_.note(Repair::task_left_out);
    tables_.task_begins[tracer::channel_of(id)][counter_of(id)] = 0;
  }
  bool is_out(TaskId id) const { return tables_.task_begins[tracer::channel_of(id)][counter_of(id)] == 0; }
  void tidy() {
    for (Plan& plan : tables_.plans) {
      std::erase_if(plan.unstarted, [this](const auto& entry) { return is_out(entry.second); });
      std::erase_if(plan.migrations, [this](const Migration& m) { return is_out(m.task); });
    }
  }

  Tables& tables_;
  Definitions& definitions_;
  Repairs& repairs_;
};

}  // namespace

void dry_run(Tables& tables, Definitions& definitions, Repairs& repairs, const DryRun& run) {
  const auto named = [](std::uint64_t sum, const ChannelScan& scan) { return sum + scan.entities.size(); };
  if (std::accumulate(tables.channels.begin(), tables.channels.end(), std::uint64_t{0}, named) > most_dry_run) return;
  Contradictions contradictions(tables, definitions, repairs);
  for (int round = 0; round < most_rounds; ++round) {
    Relations relations(tables);
    run([&](LocationRef location) { return relations.open(location); });
    tables.regions->forget_uses();
    if (!contradictions.mend(relations)) return;
  }
  contradictions.leave_out_all();
}

}  // namespace tracer::translate
