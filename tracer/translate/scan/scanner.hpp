// SPDX-License-Identifier: BSD-3-Clause
// One channel's records, one after the other, and the tables that they make.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "tracer/repeats.hpp"
#include "tracer/trace_source.hpp"
#include "tracer/translate/scan/facts.hpp"
#include "tracer/translate/scan/positions.hpp"
#include "tracer/translate/scan/task_counter.hpp"

namespace tracer::translate {

class Scanner {
 public:
  explicit Scanner(ChannelId channel) : channel_(channel) { sites_.resize(64, none); }

  void record(const Record& r);
  void passed(Ticks time) noexcept { last_ = time; }
  /// Records that were not shown: the tables have them already.
  void count(const Repeats& repeats);
  ChannelScan take() {
    out_.ends_in_task = running_ != no_id;
    out_.sites = std::move(keys_);
    return std::move(out_);
  }

 private:
  std::uint32_t site(const RegionKey& key);
  void grow_sites();
  void name(std::uint64_t counter, Entity entity);
  void task_create(const Record& r);
  void balance(std::uint64_t tasks) {
    (nest_.empty() ? out_.tasks_outside : out_.implicits[nest_.back()].tasks) += tasks;
  }
  void task_schedule(const Record& r);
  void dependence(const Record& r);
  void lock(const Record& r, LockStep step);
  void word(const Record& r);  // scanner_words.cpp

  // scan_teams.cpp
  void parallel_begin(const Record& r);
  void parallel_end(const Record& r);
  void implicit_begin(const Record& r);
  void implicit_end(const Record& r);
  void join_end(const Record& r);
  ParallelInstance* own_parallel(ParallelId id);
  void close_to(std::size_t depth, Ticks time);
  std::uint32_t begin_implicit(const ImplicitInstance& begun);
  bool is_at_team_boundary() const noexcept { return !forks_.empty() && forks_.back().entered == forks_.back().left; }
  void complete_team_boundary(const Record& r);
  ParallelId team_of(const Record& r) const;

  ChannelScan out_;
  ChannelId channel_;
  std::vector<RegionKey> keys_;
  std::vector<std::uint32_t> sites_;  // open addressing over keys_
  std::vector<std::uint32_t> nest_;   // implicit instances that are open here
  struct Fork {
    std::uint32_t parallel;
    std::size_t depth;     // of nest_
    bool entered = false;  // this thread's part of the team has begun
    bool left = false;     // and has ended
  };
  std::vector<Fork> forks_;         // regions that began here and have not ended
  std::vector<ParallelId> joined_;  // before their end was told
  TaskCounter task_counter_;
  TaskId running_ = no_id;      // explicit task
  std::vector<TaskId> around_;  // per implicit instance of nest_: what ran when it began

  SiteCache<std::uint32_t> known_;  // records whose sites are in keys_ already; of a task_create: the task's
  TaskId depending_ = no_id;
  std::array<std::uint32_t, 256> type_counts_{};
  Ticks last_ = 0;  // the time of the record before
  std::uint64_t loop_codeptr_ = 0;
  ParallelId league_ = no_id;         // begun here, without a team yet
  RegionKey data_op_{};               // waits for its `more`
  std::uint64_t target_codeptr_ = 0;  // of the target region that is open here
  bool awaits_payload_ = false;       // the last record began a range that has one
};

}  // namespace tracer::translate
