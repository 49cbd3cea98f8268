// SPDX-License-Identifier: BSD-3-Clause
// See contradictions.hpp.
#include "tracer/translate/resolve/contradictions.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <tuple>

#include "tracer/translate/resolve/resolve.hpp"
#include "tracer/translate/resolve/task_records.hpp"
#include "tracer/translate/scan/task_begin.hpp"

namespace tracer::translate {
namespace {

/// One bit for each thing that a channel's ids name, set by any thread.
class Marks {
 public:
  explicit Marks(const Tables& tables) : tables_(tables) {
    for (const ChannelScan& scan : tables.channels)
      words_.push_back(std::make_unique<std::atomic<std::uint64_t>[]>(scan.entities.rows() / 64 + 1));
  }
  /// Whether it was set before.
  bool set(std::uint64_t id) noexcept {
    const std::size_t row = tables_.row(id);
    return (word(id, row).fetch_or(bit(row), std::memory_order_relaxed) & bit(row)) != 0;
  }
  bool operator[](std::uint64_t id) const noexcept {
    const std::size_t row = tables_.row(id);
    return (word(id, row).load(std::memory_order_relaxed) & bit(row)) != 0;
  }

 private:
  std::atomic<std::uint64_t>& word(std::uint64_t id, std::size_t row) const noexcept {
    return words_[tracer::channel_of(id)][row / 64];
  }
  static std::uint64_t bit(std::size_t row) noexcept { return std::uint64_t{1} << (row % 64); }
  const Tables& tables_;
  std::vector<std::unique_ptr<std::atomic<std::uint64_t>[]>> words_;
};

/// Tasks whose records contradict each other: they are left out.
class Contradictions {
 public:
  explicit Contradictions(const Tables& tables) : tables_(tables), found_(tables), begun_(tables), created_(tables) {}

  /// Of a channel, in its order, when it is known where each task begins.
  void take(ChannelId channel, const Record& r, TaskId created) noexcept {
    if (is_task(created)) {
      if (created_.set(created) || r.time > begin_of(created)) found_.set(created);
    } else if (const TaskId begun = begun_by(r); is_task(begun) && r.time == begin_of(begun)) {
      const bool is_second = !arrives(channel, begun, r.time) && begun_.set(begun);
      if (is_second || implicit_.contains({channel, begun})) found_.set(begun);
    }
  }
  void take_facts() {
    for (const TaskId id : tables_.torn_tasks)  // follow_untied_tasks()
      if (is_task(id)) found_.set(id);
    for (ChannelId c = 0; c < tables_.channels.size(); ++c)
      tables_.channels[c].implicits.for_each([&](const ImplicitInstance& i) {
        if (is_task(i.task)) implicit_.emplace(c, i.task);
      });
  }
  bool operator[](TaskId id) const noexcept { return found_[id]; }

 private:
  bool is_task(TaskId id) const noexcept { return id != no_id && limit_of(tables_, id) != 0; }
  Ticks begin_of(TaskId id) const noexcept { return tables_.task_begins[tracer::channel_of(id)][tables_.row(id)]; }
  /// An untied one that began elsewhere: it may come in the tick in which it began, where the clock is coarse.
  bool arrives(ChannelId channel, TaskId id, Ticks time) const noexcept {
    const auto& all = tables_.plans[channel].migrations;
    const auto first = std::lower_bound(
        all.begin(), all.end(), std::pair(time, id),
        [](const auto& m, const auto& key) { return std::tie(m.time, m.task) < std::tie(key.first, key.second); });
    return first != all.end() && first->time == time && first->task == id && first->in;
  }

  const Tables& tables_;
  std::set<std::pair<ChannelId, TaskId>> implicit_;  ///< tasks that are implicit ones of a thread as well
  Marks found_, begun_, created_;
};

}  // namespace

void leave_out_contradictions(Tables& tables, const TraceSource& source, unsigned threads, Repairs& repairs) {
  Contradictions contradictions(tables);
  contradictions.take_facts();
  for_each_record(source, tables, threads, [&](ChannelId channel, const Record& r, TaskId created) {
    contradictions.take(channel, r, created);
  });
  for (ChannelId c = 0; c < tables.channels.size(); ++c)
    tables.channels[c].entities.for_each([&](std::uint64_t counter, const Entity&) {
      const TaskId id = make_id(c, counter);
      Ticks& begin = tables.task_begins[c][tables.row(id)];
      if (begin == 0 || !contradictions[id]) return;
      begin = 0;
      repairs.note(Repair::task_left_out);
    });
  const auto is_out = [&](const Migration& m) { return tables.begins_at(m.task, 0); };
  for (Plan& plan : tables.plans) std::erase_if(plan.migrations, is_out);
}

}  // namespace tracer::translate
