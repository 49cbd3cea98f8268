// SPDX-License-Identifier: BSD-3-Clause
// One channel's records, one after the other, and the tables that they make.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracer/repeats.hpp"
#include "tracer/trace_source.hpp"
#include "tracer/translate/scan/collective_calls.hpp"
#include "tracer/translate/scan/facts.hpp"
#include "tracer/translate/scan/nesting.hpp"
#include "tracer/translate/scan/positions.hpp"
#include "tracer/translate/scan/task_counter.hpp"

namespace tracer::translate {

class Scanner final : Nesting::Listener {
 public:
  Scanner(ChannelId channel, SpillFile* spill) : out_(spill), channel_(channel), nesting_(channel, *this) {
    sites_.resize(64, none);
  }

  /// Before any record: TaskCounter's.
  void count_from(std::uint64_t near) noexcept {
    out_.counter_near = near;
    task_counter_ = TaskCounter(near);
  }
  void record(const Record& r);
  void passed(Ticks time) noexcept { last_ = time; }
  /// Records that were not shown: the tables have them already.
  void count(const Repeats& repeats);
  ChannelScan take() {
    while (!unplaced_.empty()) place_innermost(0);
    out_.ends_in_task = running_ != no_id;
    out_.teams_out_of_order |= nesting_.is_out_of_order();
    out_.sites = std::move(keys_);
    out_.failed_collectives = collectives_.take_failed();
    return std::move(out_);
  }

 private:
  std::uint32_t site(const RegionKey& key);
  void grow_sites();
  void name(std::uint64_t counter, Entity entity);
  void task_create(const Record& r);
  void balance(std::uint32_t implicit, std::uint64_t tasks) {
    (implicit == none ? out_.tasks_outside : out_.implicits[implicit].tasks) += tasks;
  }
  void task_schedule(const Record& r);
  void dependence(const Record& r);
  void lock(const Record& r, LockStep step);
  void word(const Record& r);  // scanner_annotations.cpp
  void word_payload_follows(const Record& more);
  void acquired_or_released(const Record& r);
  void chunk(const Record& r);
  void control_tool(const Record& r);
  void work(const Record& r);
  void begin_unplaced(const Record& r);
  void place(const Record& end);
  void place_innermost(std::uint64_t codeptr);
  void site_in_loop(Construct construct);
  void target(const Record& r);
  void region(const Record& r);

  // scanner_teams.cpp
  void forked(const Record& r) override;
  void begun(const PartBegin& part, const Record& r) override;
  void recorded(std::size_t part, const Record& r) override;
  void ended(EndCause cause, const Record& r) override;
  void joined(EndCause cause, const Record& r) override;
  void ignored(const Record&) override {}
  void join_end(const Record& r);
  ParallelInstance* own_parallel(ParallelId id);

  ChannelScan out_;
  ChannelId channel_;
  Nesting nesting_;
  std::vector<RegionKey> keys_;
  std::vector<std::uint32_t> sites_;  // open addressing over keys_
  std::vector<std::uint32_t> nest_;   // implicit instances that are open here
  std::vector<std::uint32_t> forks_;  // regions that began here and have not ended
  TaskCounter task_counter_{0};
  bool has_lost_ = false;
  TaskId running_ = no_id;      // explicit task
  std::vector<TaskId> around_;  // per implicit instance of nest_: what ran when it began

  SiteCache<std::uint32_t> known_;  // records whose sites are in keys_ already; of a task_create: the task's
  TaskId depending_ = no_id;
  std::array<std::uint32_t, 256> type_counts_{};
  Ticks last_ = 0;  // the time of the record before
  std::uint64_t loop_codeptr_ = 0;
  /// Loops without codeptr_ra that are open: one at most in an implicit task.
  struct OpenLoop {
    Record begin;
    std::size_t row;                ///< of out_.unplaced_loops
    std::size_t depth;              ///< of nest_
    std::vector<Construct> inside;  ///< with the position of the loop
  };
  std::vector<OpenLoop> unplaced_;
  CollectiveCalls collectives_;
  RegionKey data_op_{};                              // waits for its `more`
  std::uint64_t target_codeptr_ = 0;                 // of the target region that is open here
  bool awaits_payload_ = false;                      // the last record began a range that has one
  std::unordered_set<std::uint32_t> known_details_;  // those of out_.words
  std::set<CounterKey> known_counters_;              // likewise
};

}  // namespace tracer::translate
