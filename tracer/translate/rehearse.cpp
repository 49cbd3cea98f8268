// SPDX-License-Identifier: BSD-3-Clause
// See rehearse.hpp.
#include "tracer/translate/rehearse.hpp"

#include <algorithm>
#include <numeric>

#include "tracer/translate/link.hpp"
#include "tracer/translate/regions.hpp"
#include "tracer/translate/relations.hpp"

namespace tracer::translate {
namespace {

/// Rounds, each of which takes out something. Then all goes that could contradict.
constexpr int most_rounds = 12;

class Rehearsal {
 public:
  Rehearsal(Tables& tables, Definitions& definitions, std::map<std::string, std::uint64_t>& repairs)
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
      ++repairs_["team of threads that contradict each other left out"];
      return leave_out(p);
    }
    ++repairs_["team of threads that contradict each other left to the one that forked it"];
    leave_alone(tables_, p, definitions_);
  }
  /// As one that begins and ends in a pause: its threads go on as what they were.
  static void leave_out(ParallelInstance& p) {
    if (p.size == 0) return;
    p.size = 0;
    p.comm = undefined_ref;
  }
  void leave_out(TaskId id) {
    ++repairs_["task of threads that contradict each other left out"];
    tables_.task_begins[tracer::channel_of(id)][counter_of(id)] = 0;
  }
  bool is_out(TaskId id) const { return tables_.task_begins[tracer::channel_of(id)][counter_of(id)] == 0; }
  void tidy() {
    for (ChannelScan& scan : tables_.channels) {
      std::erase_if(scan.unstarted, [this](const auto& entry) { return is_out(entry.second); });
      std::erase_if(scan.migrations, [this](const Migration& m) { return is_out(m.task); });
    }
  }

  Tables& tables_;
  Definitions& definitions_;
  std::map<std::string, std::uint64_t>& repairs_;
};

}  // namespace

void rehearse(Tables& tables, Definitions& definitions, std::map<std::string, std::uint64_t>& repairs,
              const Performance& perform) {
  const auto named = [](std::uint64_t sum, const ChannelScan& scan) { return sum + scan.entities.size(); };
  if (std::accumulate(tables.channels.begin(), tables.channels.end(), std::uint64_t{0}, named) > most_rehearsed) return;
  Rehearsal rehearsal(tables, definitions, repairs);
  for (int round = 0; round < most_rounds; ++round) {
    Relations relations(tables);
    perform([&](LocationRef location) { return relations.open(location); });
    tables.regions->forget_uses();
    if (!rehearsal.mend(relations)) return;
  }
  rehearsal.leave_out_all();
}

}  // namespace tracer::translate
