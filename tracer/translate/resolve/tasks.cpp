// SPDX-License-Identifier: BSD-3-Clause
// Tasks of traces that are not whole: a program that was killed, records that were lost, a runtime that contradicts
// itself. Each task begins once, by the first record of it while its team is there; or never.
#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tracer/ompt_values.hpp"
#include "tracer/translate/resolve/contradictions.hpp"
#include "tracer/translate/resolve/course/task_names.hpp"
#include "tracer/translate/resolve/paused_tasks.hpp"
#include "tracer/translate/resolve/resolve.hpp"
#include "tracer/translate/resolve/task_records.hpp"
#include "tracer/translate/scan/task_begin.hpp"

namespace tracer::translate {
namespace {

bool is_explicit(const ChannelScan& scan, const Entity& entity) {
  return entity.site != none && entity.site < scan.sites.size() &&
         scan.sites[entity.site].construct != Construct::taskwait;
}

/// The tasks of each team end in it.
bool end_in_their_teams(const Tables& tables) {
  std::unordered_map<ParallelId, std::uint64_t> left;  // those with tasks
  for (const ChannelScan& scan : tables.channels) {
    left[no_id] += scan.tasks_outside;
    scan.implicits.for_each([&](const ImplicitInstance& i) {
      if (i.tasks != 0) left[tables.parallel(i.parallel) ? i.parallel : no_id] += i.tasks;
    });
  }
  return std::all_of(left.begin(), left.end(), [](const auto& team) { return team.second == 0; });
}

/// No thread contradicts itself or another, as far as the records of each thread alone show.
bool are_in_order(const Tables& tables) {
  return std::all_of(tables.channels.begin(), tables.channels.end(), [&](const ChannelScan& scan) {
    if (scan.is_out_of_order()) return false;
    bool all = true;
    scan.implicits.for_each([&](const ImplicitInstance& i) {
      const ParallelInstance* const p = tables.parallel(i.parallel);
      // Outside all teams only an initial thread runs tasks.
      all = all && (p ? i.last_task <= p->limit : i.initial || i.last_task == 0);
    });
    return all;
  });
}

struct TaskCounts {
  std::uint64_t created = 0, ended = 0;
};

TaskCounts count_tasks(const Tables& tables) {
  TaskCounts n;
  for (const ChannelScan& scan : tables.channels) {
    n.ended += scan.tasks_ended;
    scan.entities.for_each([&](std::uint64_t, const Entity& entity) { n.created += is_explicit(scan, entity); });
  }
  return n;
}

/// Each thread's tasks that came to run have left again.
bool have_left(const Tables& tables) {
  return std::none_of(tables.channels.begin(), tables.channels.end(),
                      [](const ChannelScan& scan) { return scan.ends_in_task || scan.tasks_left_over != 0; });
}

/// The first begin of each task.
class Begins {
 public:
  explicit Begins(const Tables& tables) : tables_(tables) {
    for (const ChannelScan& scan : tables.channels) {
      times_.push_back(std::make_unique<std::atomic<Ticks>[]>(scan.entities.rows()));
      for (std::size_t n = 0; n < scan.entities.rows(); ++n) times_.back()[n].store(never, std::memory_order_relaxed);
    }
  }
  /// Of a channel, in its order. `created`: the task that the record creates.
  void take(const Record& r, TaskId created) noexcept {
    if (created != no_id) return create(created, r.time);
    if (const TaskId begun = begun_by(r); begun != no_id) begin(begun, r.time);
  }
  /// Creations behind the end of the team.
  std::uint64_t too_late() const noexcept { return too_late_.load(std::memory_order_relaxed); }
  /// Tables::task_begins. Nothing else is to be done with it then.
  std::vector<std::vector<Ticks>> take_times() {
    std::vector<std::vector<Ticks>> all;
    for (std::size_t c = 0; c < times_.size(); ++c) {
      const auto first = std::exchange(times_[c], nullptr);
      std::vector<Ticks>& times = all.emplace_back(tables_.channels[c].entities.rows());
      for (std::size_t n = 0; n < times.size(); ++n) times[n] = first[n].load(std::memory_order_relaxed);
    }
    return all;
  }

 private:
  void create(TaskId id, Ticks time) noexcept {
    const Ticks limit = limit_of(tables_, id);
    if (limit == 0 || time <= limit) return;
    times_[tracer::channel_of(id)][tables_.row(id)] = 0;
    too_late_.fetch_add(1, std::memory_order_relaxed);
  }
  void begin(TaskId id, Ticks time) noexcept {
    const Ticks limit = limit_of(tables_, id);
    if (limit == 0 || time > limit) return;
    std::atomic<Ticks>& first = times_[tracer::channel_of(id)][tables_.row(id)];
    Ticks known = first.load(std::memory_order_relaxed);
    while (time < known && !first.compare_exchange_weak(known, time, std::memory_order_relaxed)) {
    }
  }
  const Tables& tables_;
  std::vector<std::unique_ptr<std::atomic<Ticks>[]>> times_;
  std::atomic<std::uint64_t> too_late_{0};
};

/// The part with which a task ends that never ran: its creator's, or where that is in no team the one around it; none:
/// it ends with the trace. A part in no team may end by a limit of what is around it, and its tasks have none.
std::uint32_t part_that_ends(const Tables& tables, ChannelId channel, std::uint32_t creator) {
  const auto& implicits = tables.channels[channel].implicits;
  const auto is_initial = [](const ImplicitInstance& i) { return i.initial && !i.own; };
  while (creator < implicits.size() && !tables.parallel(implicits[creator].parallel) && !is_initial(implicits[creator]))
    creator = implicits[creator].outer;
  return creator;
}

void find_unstarted(Tables& tables) {
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    const ChannelScan& scan = tables.channels[c];
    Plan& plan = tables.plans[c];
    scan.entities.for_each([&](std::uint64_t counter, const Entity& entity) {
      const TaskId id = make_id(c, counter);
      if (!is_explicit(scan, entity) || tables.task_begins[c][tables.row(id)] != never) return;
      const bool untied = scan.sites[entity.site].construct == Construct::task_untied;
      plan.unstarted.emplace_back(part_that_ends(tables, c, entity.index), id | (untied ? untied_bit : 0));
    });
    std::stable_sort(plan.unstarted.begin(), plan.unstarted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
}

/// Those whose events contradict each other, as an archive showed that was written of them.
class Excluded {
 public:
  Excluded(const Tables& tables, const Definitions& definitions) : all_(tables.excluded.all_tasks), names_(tables) {
    for (const Exclusions::Task& task : tables.excluded.tasks)
      for (CommRef comm = 0; comm < definitions.comms.size(); ++comm)
        if (definitions.comms[comm].name == task.team) tasks_.emplace(comm, task.creator, shown(task.number));
  }
  bool operator()(TaskId id) const {
    if (all_) return true;
    const TaskName name = names_.of(id);
    return tasks_.contains({name.comm, name.rank, shown(name.generation)});
  }

 private:
  /// An event has room for so much of it.
  static std::uint32_t shown(std::uint64_t generation) noexcept { return static_cast<std::uint32_t>(generation); }
  bool all_;
  TaskNames names_;
  std::set<std::tuple<CommRef, std::uint32_t, std::uint32_t>> tasks_;
};

void leave_out_excluded(Tables& tables, const Definitions& definitions, Repairs& repairs) {
  if (!tables.excluded.have_tasks()) return;
  const Excluded is_excluded(tables, definitions);
  for (ChannelId c = 0; c < tables.channels.size(); ++c)
    tables.channels[c].entities.for_each([&](std::uint64_t counter, const Entity& entity) {
      const TaskId id = make_id(c, counter);
      Ticks& begin = tables.task_begins[c][tables.row(id)];
      if (!is_explicit(tables.channels[c], entity) || begin == 0 || !is_excluded(id)) return;
      begin = 0;
      repairs.note(Repair::task_left_out);
    });
  for (Plan& plan : tables.plans) {
    std::erase_if(plan.migrations, [&](const Migration& m) { return tables.is_left_out(m.task); });
    std::erase_if(plan.unreported_ends, [&](const UnreportedEnd& e) { return tables.is_left_out(e.task); });
  }
}

}  // namespace

Ticks limit_of(const Tables& tables, TaskId id) {
  const ChannelId channel = tracer::channel_of(id);
  const std::optional<Entity> entity = tables.entity(id);
  if (!entity || !is_explicit(tables.channels[channel], *entity)) return 0;
  const ImplicitInstance* const part = tables.part_of(channel, entity->index);
  const ParallelInstance* const p = part ? tables.parallel(part->parallel) : nullptr;
  return p && p->limit != 0 ? p->limit : never;
}

void find_task_begins(Tables& tables, const TraceSource& source, const Definitions& definitions, unsigned threads,
                      Repairs& repairs) {
  const bool in_order = are_in_order(tables), killed = source.journal().ending == Ending::unknown;
  const TaskCounts all = count_tasks(tables);
  const bool all_are_in = !tables.excluded.have_tasks();
  if (all.created == 0 && all.ended == 0 && all_are_in) return;
  const bool have_ended = all.created == all.ended && have_left(tables) && end_in_their_teams(tables);
  const bool is_whole = in_order && have_ended && all_are_in;
  if (is_whole && tables.toggles.empty()) return;
  Begins begins(tables);
  PausedTasks paused(tables);
  for_each_record(source, tables, threads, [&](ChannelId, const Record& r, TaskId created) {
    begins.take(r, created);
    paused.take(r, created);
  });
  if (is_whole && !paused.are_there()) return;
  tables.task_begins = begins.take_times();
  repairs.note(Repair::task_created_after_team, begins.too_late());
  paused.leave_out(tables);
  if (!is_whole && (!in_order || !killed)) leave_out_contradictions(tables, source, threads, repairs);
  leave_out_excluded(tables, definitions, repairs);
  find_unstarted(tables);
}

}  // namespace tracer::translate
