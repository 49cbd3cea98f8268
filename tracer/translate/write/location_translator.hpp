// SPDX-License-Identifier: BSD-3-Clause
// Second pass: the records of one CPU thread become its events.
//
// State, outermost first:
//
//     implicit tasks  [initial] [team A, rank 2] [team B, rank 0]        nest_
//     each with tasks   implicit   implicit -> explicit (current_)       TaskState
//     each with open regions          parallel, for, barrier, ...        TaskState::open
//
// Enter and Leave balance per task; what is still open when a task, a team or the trace ends is
// closed there and counted.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/ompt_values.hpp"
#include "tracer/repeats.hpp"
#include "tracer/trace_source.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/definitions/vocabulary.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/resolve/tables.hpp"
#include "tracer/translate/scan/task_counter.hpp"
#include "tracer/translate/write/event_buffer.hpp"
#include "tracer/translate/write/live_tasks.hpp"

namespace tracer::translate {

struct LocationResult {
  Nanoseconds first = 0, last = 0;
  std::uint64_t events = 0, clamped = 0;
  Repairs repairs;  ///< what was closed, moved or ignored
  Usage used;
};

/// What stands in `b` of a task's, a fork's and a team's events.
enum class Naming : std::uint8_t {
  generations,  ///< a task's number in its team, as a reader wants it
  ids,          ///< those of the records: for a dry run (relations.hpp)
};

class LocationTranslator {
 public:
  LocationTranslator(const Tables& tables, const Journal& journal, const Vocabulary& vocabulary, const ClockFit& clock,
                     ChannelId channel, LocationWriter& writer, Naming naming = Naming::generations);
  /// Translates the whole channel; the writer is flushed, not closed.
  LocationResult run(RecordReader& records);

 private:
  struct Open {
    RegionRef region;
    Construct construct;
    bool wait;
    std::uint64_t codeptr;
  };
  struct TaskName {
    CommRef comm = undefined_ref;
    std::uint32_t rank = 0;
    std::uint64_t generation = 0;  ///< 0: an implicit task
  };
  struct TaskState : TaskName {
    TaskId id = no_id;
    std::size_t depth = 0;         ///< of nest_ when it began here
    Ticks limit = never;           ///< by when it must have ended: its team's
    bool ends_unreported = false;  ///< by its limit (UnreportedEnd)
    TaskId below = no_id;          ///< what runs then
    std::vector<Open> open;
  };
  struct Implicit {
    const ImplicitInstance* instance;
    const ParallelInstance* parallel;  ///< nullptr: no team
    TaskState task;
    TaskState* outer;   ///< current before it began
    std::size_t forks;  ///< open forks when it began
    Ticks limit;        ///< by when it must have ended: the team's or an outer one's
  };

  void record(const Record& r);
  void translate(const Record& r);
  void write_waits();
  void more(const Record& r);
  void toggle(Ticks until);
  void finish();

  // regions
  /// region_key() of records that look alike, and its region once it was asked for.
  struct Site {
    RegionKey key;
    RegionRef region = undefined_ref;
  };
  RegionRef region_of(RegionKey key);
  std::uint64_t surrounding_position() const;
  Site& site_of(const Record& r) {
    auto& known = sites_.at(r);
    if (!known.holds(r)) [[unlikely]]
      known.set(r, {region_key(r), undefined_ref});
    return known.value;
  }
  /// The site's region, which is in the archive from now on.
  RegionRef region_at(Site& site) {
    if (site.region != undefined_ref) [[likely]]
      return site.region;
    const RegionRef region = region_of(site.key);
    // Without a position it depends on what is around it; a deferred reference is not for keeps.
    if (site.key.codeptr != 0 && !RegionTable::is_deferred(region)) site.region = region;
    return region;
  }
  void enter_at(Nanoseconds t, Site& site) {
    const RegionRef region = region_at(site);
    out_.add(t, EventType::enter, region);
    current_->open.push_back({region, site.key.construct, site.key.wait, site.key.codeptr});
  }
  /// What a record of a kind and endpoint did the last time: mostly the next one does the same.
  struct FastAction {
    std::uint64_t codeptr = 0;
    RegionRef region = undefined_ref;
    std::uint16_t sub = 0;
    Construct construct = Construct::count_;
    bool wait = false;
    enum : std::uint8_t { nothing, enters, leaves } does = nothing;
  };
  /// Translates records from the batch's front on as long as each does what the last one of its kind and endpoint did
  /// and nothing is pending. Returns how many. What is done here must be what record() and translate() would do.
  std::size_t fast(std::span<const Record> batch);
  bool has_fast(const Record& r) const noexcept { return fast_[Repeats::index(r)].does != FastAction::nothing; }
  /// Before this time neither record() nor translate() have anything to look at before they come to the record itself.
  /// Whoever adds such a thing there adds it here.
  Ticks fast_until() const noexcept {
    const bool pending =
        !waits_.empty() || has_pending_create_ || has_pending_test_ || awaiting_more_.kind != RecordKind::invalid;
    if (pending || out_.paused()) return 0;
    if (is_at_team_boundary() || current_->ends_unreported) return 0;
    Ticks until = limit_ == never ? never : limit_ + 1;
    if (next_implied_ < plan_.implied_releases.size())
      until = std::min(until, plan_.implied_releases[next_implied_].time);
    return next_toggle_ < tables_.toggles.size() ? std::min(until, tables_.toggles[next_toggle_].time) : until;
  }
  static bool is_taskgroup(const Record& r) noexcept {
    return r.sub == sync_kind::taskgroup;
  }  // PositionMender looks at each
  void entered(const Record& r, const Site& site) {
    if (site.region != undefined_ref && !is_taskgroup(r))
      fast_[Repeats::index(r)] = {r.c, site.region, r.sub, site.key.construct, site.key.wait, FastAction::enters};
  }
  void left(const Record& r, Construct construct, bool wait) {
    if (!is_taskgroup(r)) fast_[Repeats::index(r)] = {r.c, undefined_ref, r.sub, construct, wait, FastAction::leaves};
  }
  void enter(Nanoseconds t, const RegionKey& key) {
    Site site{key, undefined_ref};
    enter_at(t, site);
  }
  void leave(Nanoseconds t, Construct construct, bool wait = false);
  void pass(Nanoseconds t, const RegionKey& key) { pass_at(t, region_of(key)); }
  void pass_at(Nanoseconds t, RegionRef region) {  ///< zero length
    out_.add(t, EventType::enter, region);
    out_.add(t, EventType::leave, region);
  }
  void close_open(TaskState& task, Nanoseconds t, std::size_t keep, std::optional<Repair> why);
  void note(Repair repair) { result_.repairs.note(repair); }

  // teams (location_teams.cpp)
  void parallel_begin(const Record& r, Nanoseconds t);
  void parallel_end(const Record& r, Nanoseconds t);
  bool is_at_team_boundary() const noexcept {
    return !forks_.empty() && (forks_.back().left || !forks_.back().entered);
  }
  void complete_team_boundary(const Record& r, Nanoseconds t);
  const ImplicitInstance* next_begin() const;
  void push_implicit(const ImplicitInstance* instance, const ParallelInstance* p, std::size_t forks);
  void enter_team(const ImplicitInstance* instance, const ParallelInstance* p, Nanoseconds t);
  void expire(Ticks when);
  Ticks past_limit(const Record& r, Ticks when);
  void pass_limits(Ticks when);
  bool is_outside_teams() const;
  void implicit_begin(const Record& r, Nanoseconds t);
  void implicit_end(const Record& r, Nanoseconds t);
  void close_implicit(Nanoseconds t, bool repaired);
  void drop_implicits_to(std::size_t depth, Nanoseconds t);
  void drop_all(Nanoseconds t);
  void end_unstarted(std::uint32_t creator, Nanoseconds t);
  /// Between a fork and this thread's part of its team, or between that and the join.
  bool is_outside_forked_team() const {
    return !forks_.empty() && (nest_.empty() || nest_.back().forks < forks_.size());
  }
  void write_errors(Nanoseconds t);
  void join(Nanoseconds t);
  void join_early(Nanoseconds t);
  /// The record's time, or the master's when it came late.
  Ticks due(const Record& r) const noexcept {
    return r.endpoint == Endpoint::begin || nest_.empty() || nest_.back().instance->rank == 0 ? r.time : due_late(r);
  }
  Ticks due_late(const Record& r) const noexcept;

  // tasks (location_tasks.cpp)
  void task_create(const Record& r);
  void describe_created(TaskId id);
  void write_pending_create();
  void add_dependences();
  void dependence(const Record& r, Nanoseconds t);
  void forget(TaskId task);
  void fulfill(TaskId task, Nanoseconds t);
  void discard(TaskId task, Ticks time, Nanoseconds t);
  TaskId created_id(const Record& r);
  void finish_taskwait(TaskId task, Ticks time, Nanoseconds t);
  void task_schedule(const Record& r, Nanoseconds t);
  TaskId next_task(TaskId next, const Record& r, bool migrated_in);
  void complete_current(Nanoseconds t);
  void switch_to(TaskId next, Nanoseconds t);
  void limit_task(TaskState& task);
  void expect_unreported_end(TaskId task, Ticks from, TaskId below);
  bool is_over(const Record& next) const;
  void end_unreported(Nanoseconds t);
  void close_task(TaskId task, Nanoseconds t);
  void close_tasks(Nanoseconds t, std::size_t depth, CommRef team);
  bool begins_here(TaskId task, Ticks time) const;
  /// Each task runs and completes by its own records: what else says that one is over is wrong.
  bool all_end() const noexcept { return tables_.task_begins.empty(); }
  bool encounters_team(const TaskState& task) const;
  TaskState& implicit() { return nest_.empty() ? base_ : nest_.back().task; }
  bool in_task() { return current_ != &implicit(); }  ///< an explicit one
  bool migrates(Ticks time, TaskId task, bool in);
  TaskName name_of(TaskId id) const;
  std::uint64_t name_of(const ParallelInstance& p) const noexcept { return naming_ == Naming::ids ? p.id : 0; }
  struct Creator {
    ChannelId channel = none;
    std::uint32_t index = none;  ///< implicit instance
    CommRef comm = undefined_ref;
    std::uint32_t rank = 0;
    std::uint64_t before = 0;  ///< counter of its implicit task: generations count from there
  };
  const Creator& creator_of(ChannelId channel, std::uint32_t index) const;
  TaskId returned_to(TaskId next, Ticks time);
  void begin_task(TaskState& task, TaskId id) const;
  RegionKey task_key(TaskId id) const;  ///< construct count_ when nobody created it

  // worksharing and synchronisation (location_sync.cpp)
  void sync(const Record& r, Nanoseconds t);
  void end_single(Nanoseconds t);
  std::uint64_t better_position(const RegionKey& key) const;
  void work(const Record& r, Nanoseconds t);
  void dispatch(const Record& r, Nanoseconds t);
  void control_tool(const Record& r, Nanoseconds t);
  void marks(const Record& r, Nanoseconds t);  ///< flush, cancel, error, dependence, lost

  // mutexes (location_mutex.cpp)
  void mutex(const Record& r, Nanoseconds t);
  void resolve_lock_test(const Record& r);
  Construct routine_inside(Construct called) const;
  LockOperation next_operation();
  void acquire(const LockOperation& op, Nanoseconds t);
  void release(const LockOperation& op, Nanoseconds t);
  bool is_ended(const LockOperation& op) const;
  bool is_last_before(Ticks time) const;                   ///< the next implied release
  void release_implied(Ticks before, const Record* next);  ///< never: all
  Nanoseconds release_time(const LockOperation& op, const Record& r, Nanoseconds t) const;

  // target constructs (location_target.cpp)
  void target(const Record& r, Nanoseconds t);
  void target_submit(const Record& r, Nanoseconds t);
  void data_op(const Record& r, const Record& more, Nanoseconds t);

  const Tables& tables_;
  const ChannelScan& scan_;
  const Plan& plan_;
  const Journal& journal_;
  const Vocabulary& names_;
  const ClockFit& clock_;
  ChannelId channel_;
  LocationRef location_;
  EventBuffer out_;
  LocationResult result_;

  std::deque<Implicit> nest_;
  struct OpenFork {
    ParallelId id;
    const ParallelInstance* parallel;
    bool entered = false;  ///< this thread's implicit task has begun
    bool left = false;     ///< and has ended
  };
  std::vector<OpenFork> forks_;
  std::vector<ParallelId> joined_;  ///< before their end was told
  Ticks limit_ = never;             ///< the innermost implicit task's, or the first of a task's
  Ticks expiry_ = never;            ///< the first limit of a task that began here outside its team
  enum class ThreadKind : std::uint8_t { unknown, worker, root } kind_ = ThreadKind::unknown;
  TaskState base_;  ///< what a thread does that has no implicit task
  TaskState* current_ = &base_;
  LiveTasks<TaskState> explicit_;                     ///< started here and not complete
  std::vector<std::pair<TaskId, TaskId>> completed_;  ///< said to be switched from, and what was current instead
  std::size_t next_implicit_ = 0, next_migration_ = 0, next_implied_ = 0;

  LockOrders::Reader lock_orders_{plan_.lock_orders};
  std::vector<LockOperation> held_;  ///< acquired here and not released
  std::vector<LockOperation>
      ended_;                   ///< acquisitions that ended without their release, until that or the next one comes
  std::vector<Record> waits_;   ///< for the drainer, not yet written
  std::vector<Record> errors_;  ///< said between a fork and its team, not yet written
  bool has_pending_create_ = false;
  Record pending_create_{};
  std::vector<Record> pending_dependences_;
  TaskId waiting_ = no_id;  ///< `taskwait depend` that began last: the runtime has no id of it
  bool has_pending_test_ = false;
  Record pending_test_{};
  Record awaiting_more_{};
  std::uint64_t loop_codeptr_ = 0;
  std::uint64_t sections_codeptr_ = 0;
  TaskCounter task_counter_;
  struct OpenTarget {
    TargetId id;
    std::uint64_t codeptr;
  };
  std::vector<OpenTarget> targets_;
  std::size_t next_toggle_ = 0;

  struct CachedRegion {
    RegionKey key;
    RegionRef region = undefined_ref;
  };
  std::array<CachedRegion, 64> cache_{};
  mutable std::array<Creator, 16> creators_{};
  SiteCache<Site> sites_;
  std::array<FastAction, 256> fast_{};  ///< by Repeats::index
  const Naming naming_;
};

}  // namespace tracer::translate
