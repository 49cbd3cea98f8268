// SPDX-License-Identifier: BSD-3-Clause
// Who makes the account: an observer of the replay.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/replay/bounded_map.hpp"
#include "tracer/replay/mpi/waits.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/account_rows.hpp"
#include "tracer/report/measures/holds.hpp"
#include "tracer/report/measures/integral.hpp"
#include "tracer/report/measures/pending_events.hpp"
#include "tracer/report/measures/spent.hpp"

namespace tracer::report {

struct MpiWaitRow;
void add_wait_states(Account& account, const std::vector<MpiWaitRow>& waits);

/// What of the time a thread that waits has a task that it could run: all of it where there are as many tasks as
/// threads that wait, a third where three wait beside one task.
class TasksAtHand {
 public:
  void add_queued(std::int64_t amount, std::uint64_t time) {
    pass(time);
    queued_ += amount;
  }
  void add_waiting(std::int64_t amount, std::uint64_t time) {
    pass(time);
    waiting_ += amount;
  }
  std::uint64_t value(std::uint64_t time) const {
    if (queued_ <= 0 || time <= since_) return sum_;
    const std::uint64_t ns = time - since_;
    if (waiting_ <= queued_) return sum_ + ns;
    return sum_ + static_cast<std::uint64_t>(static_cast<double>(ns) * static_cast<double>(queued_) /
                                             static_cast<double>(waiting_));
  }

 private:
  void pass(std::uint64_t time) {
    sum_ = value(time);
    since_ = std::max(since_, time);
  }
  std::int64_t queued_ = 0, waiting_ = 0;
  std::uint64_t sum_ = 0, since_ = 0;
};

/// One team's doacross loops: iterations that are done, and how long a thread needs to come to a sink.
class Doacross {
 public:
  /// `from`: the thread's last event before.
  void source(std::uint64_t iteration, std::uint64_t from, std::uint64_t time);
  /// What of `from` to `to`, the thread's time before the mark, it waited.
  std::uint64_t sink(std::uint64_t iteration, std::uint64_t from, std::uint64_t to);

 private:
  std::uint64_t before_sink() const;
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::array<std::pair<std::uint64_t, std::uint64_t>, 256> sources_{};  ///< the last ones: iteration, time
  std::size_t next_ = 0;
  std::uint64_t shortest_ = unknown;  ///< way to a sink, waiting included
  std::uint64_t free_ = unknown;      ///< that of those whose source was there before them
  std::uint64_t whole_ = unknown;     ///< iteration without a sink, as the first
  std::uint64_t behind_ = unknown;    ///< way from a sink to the source
};

class Accountant final : public Observer {
 public:
  Accountant(const Definitions& definitions, const Replay& replay);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void task_created(LocationRef location, Task& creator, Task& task) override;
  void task_started(LocationRef location, Task& task) override;
  void task_completed(LocationRef location, Task& task, std::uint64_t time) override;
  void task_switched(LocationRef location, Task& from, Task& to, std::uint64_t time) override;
  void task_dependence(Task& source, Task& sink) override;
  void thread_ended(LocationRef location, std::uint64_t time) override;
  void team_begun(LocationRef location, Team& team, Task& implicit) override;
  void team_left(LocationRef location, Team& team, Task& implicit) override;
  void team_ended(Team& team) override;
  Account account();

 private:
  static constexpr std::size_t most_stretches = 64;

  /// What a location waited at a barrier for those who had not come yet, beside all tasks.
  struct Waited {
    LocationRef location = 0;
    std::uint64_t ns = 0;
    std::uint64_t creating = 0;  ///< of that: until the last creation that was known then
    std::uint64_t until = 0;     ///< the end of the last of it
  };
  /// One barrier of one team: who has come, and what was waited.
  struct Episode {
    RegionRef region = undefined_ref, cause = undefined_ref;
    std::uint32_t arrived = 0, left = 0;
    std::uint64_t first_arrival = 0;
    std::uint64_t last_arrival = 0, busy_at_arrival = 0;    ///< 0: not all have come
    std::uint64_t last_creation = 0, busy_at_creation = 0;  ///< of a task, by who had not come yet; 0: none
    std::uint64_t starvation = 0, tasking = 0, rest = 0;
    PendingEvents::Part detached;   ///< that was waited for events, and for which task's most
    bool creator_was_last = false;  ///< the last one created tasks while others waited
    std::vector<Waited> waited;
    Spent spent;  ///< by region: of all who came, since the barrier before

    /// Of that location, whose place in `waited` is `at` once it has one.
    Waited& waited_of(LocationRef location, std::size_t& at) {
      if (at >= waited.size() || waited[at].location != location) {
        at = waited.size();
        waited.emplace_back().location = location;
      }
      return waited[at];
    }
    std::uint64_t until_creation(const Waited& one) const { return one.until <= last_creation ? one.ns : one.creating; }
  };
  /// Of a team's tasks the longest of those that end together, behind all others.
  struct LastTask {
    std::uint64_t ns = 0, end = 0;
    void completed(std::uint64_t own, std::uint64_t time) {
      constexpr std::uint64_t part = 20;  // of its length, by which others may outlast it
      if (own < ns && time <= end + ns / part) return;
      ns = own;
      end = time;
    }
  };
  struct TeamState {
    std::map<std::uint64_t, Episode> episodes;  ///< open ones, by number
    TasksAtHand queued;                         ///< tasks that wait to be run, and threads that wait
    Integral busy;                              ///< tasks that are not complete
    Integral at_work, in_tasks;                 ///< members that do not wait; of them, in tasks
    PendingEvents pending;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> starts;  ///< from the fork to a thread's first work: ns, when
    LastTask last_task;
    std::uint64_t waiters = 0, most_waiters = 0;  ///< implicit tasks in waits for tasks: now, and at one time
    std::uint64_t begin = 0;
    bool is_outer = false;  ///< of no member of another
    std::unique_ptr<Doacross> doacross;
  };
  /// A location's part in a team.
  struct Member {
    Team* team = nullptr;
    TeamState* shared = nullptr;
    std::uint64_t number = 0;   ///< of the next barrier
    std::size_t waited_at = 0;  ///< its place in that barrier's `waited`, once it has one there
    bool waiting = false;
    bool is_at_hand = false;                            ///< it waits now, in no task: it would run one that is queued
    bool is_in_task = false;                            ///< and does not wait there
    std::uint64_t created_at = 0;                       ///< the last task since the barrier before; 0: none
    std::uint64_t queued_from = 0, busy_from = 0;       ///< the integrals at the location's last event
    std::uint64_t at_work_from = 0, in_tasks_from = 0;  ///< likewise
    Spent spent;                                        ///< by region, since the barrier before
  };
  /// When a thread's idling began, and what had passed until then: of teams, with its process' thread in MPI or waiting
  /// for a device, outside of the phases that the trace is confined to, and with recording off.
  struct Idle {
    std::uint64_t from = 0, teams = 0, mpi = 0, device = 0, beyond = 0, paused = 0;
  };
  struct State {
    bool counted = false, worker = false, initial = false, seen = false, forking = false, joining = false,
         helper = false;
    bool replaces = false;            ///< a worker that ended before: it was not there until then
    std::optional<Idle> idle;         ///< how it began; none: it does not idle
    std::uint64_t first = 0;          ///< its first event
    std::uint64_t ended = 0;          ///< when the thread ended, while its process went on; 0: not yet
    std::uint64_t beyond_at_end = 0;  ///< outside of the phases, until then
    std::uint64_t teams_now = 0;      ///< the teams' time at the location's last event
    std::uint64_t mpi_now = 0;        ///< as that, of the time that its process' thread was in MPI
    std::uint64_t device_now = 0;     ///< as that, of the time that it waited for a device
    std::uint64_t paused_now = 0;     ///< as that, of the time that recording was off
    std::uint64_t off_since = 0;      ///< recording is off; 0: it is on
    std::uint32_t process = 0;        ///< index into processes_
    std::uint64_t tool_until = 0;     ///< it waited for the drainer, or wrote a record
    std::uint64_t created_at = 0, creates = 0;
    std::uint64_t creating = 0;                ///< ns in the regions in which tasks are created
    std::uint64_t lock_from = 0, lock_ns = 0;  ///< of the wait that goes on: when it began, what was charged
    bool waits_for_lock = false;
    std::uint64_t worked_from = 0, worked_until = 0;  ///< the last stretch that was charged as work
    std::uint64_t team_ns = 0;                        ///< that the master needed for the team's start and join
    std::vector<Member> members;
    std::vector<std::uint64_t> teams_at_fork;
    PlaceTimes ns{};
  };
  /// The times between two parallel regions.
  struct Gap {
    std::uint64_t ns = 0, count = 0, longest = 0, longest_at = 0;
  };
  /// The executions of a region: what its threads had of the time, and others lay beside.
  struct Beside {
    std::uint64_t wall = 0, threads = 0, count = 0;  ///< threads: ns, of all its threads
    std::uint32_t largest = 0;
  };
  /// The executions of a region, by all processes.
  struct InRegion {
    std::uint64_t threads = 0;  ///< ns, of all its threads
    Covered wall;
  };
  /// A task that is complete in the trace: it may have been detached.
  struct EndedTask {
    const Team* team = nullptr;
    std::uint64_t time = 0;
    RegionRef region = undefined_ref;
  };
  /// What a location group's threads share.
  struct Process {
    std::uint32_t group = 0;
    LocationRef first = 0;  ///< its initial thread
    RunFacts facts;
    /// libgomp ends workers that the next team does not need, and creates others where one does.
    bool ends_workers = false;
    Integral active;     ///< teams outside of others; as in_mpi, within the phases that the trace is confined to
    Integral in_mpi;     ///< its first thread, outside of teams
    Integral in_device;  ///< it waits for a device, while there is no team and it is not in MPI
    Integral beyond;     ///< outside of those phases
    Integral paused;     ///< within them, with recording off
    std::int64_t teams = 0, mpi_calls = 0, device_calls = 0;  ///< now
    bool is_beyond = false, is_paused = false;
    std::uint64_t begin = 0, last = 0;
    std::uint64_t serial_since = 0, paused_before = 0;  ///< paused_before: of `paused`, until serial_since
    RegionRef serial_after = undefined_ref;
    std::vector<SerialStretch> stretches;
    std::uint64_t elsewhere = 0;                          ///< in MPI, or waiting for devices, until the last one's end
    std::map<RegionRef, std::uint64_t> mpi_regions;       ///< where in_mpi comes from
    std::map<RegionRef, std::uint64_t> device_regions;    ///< as that, of in_device
    std::unordered_map<std::uint64_t, Holds> holds;       ///< of each lock, by its number
    std::uint64_t lock_waiters = 0;                       ///< threads that have come to a lock and do not have it
    std::map<std::pair<RegionRef, RegionRef>, Gap> gaps;  ///< by the regions before and behind
    std::optional<SerialStretch> gap;                     ///< the last one, until the next event shows what follows
    std::vector<LocationRef> ended_workers;               ///< that no other has replaced
    std::map<RegionRef, Beside> beside;

    void count_teams(std::int64_t amount, std::uint64_t time) {
      teams += amount;
      if (!is_out()) active.add(amount, time);
      follow_device(time);
    }
    void count_mpi(std::int64_t amount, std::uint64_t time) {
      mpi_calls += amount;
      if (!is_out()) in_mpi.add(amount, time);
      follow_device(time);
    }
    void count_device(std::int64_t amount, std::uint64_t time) {
      device_calls += amount;
      follow_device(time);
    }
    void follow_device(std::uint64_t time) {
      in_device.set(device_calls > 0 && teams == 0 && mpi_calls == 0 && !is_out(), time);
    }
    void begin_serial(std::uint64_t time) {
      if (teams == 0) serial_since = time, paused_before = paused.value(time);
    }
    bool is_out() const { return is_beyond || is_paused; }
    void go_beyond(bool goes, std::uint64_t time) { go_out(goes, is_paused, time); }
    void pause(bool goes, std::uint64_t time) { go_out(is_beyond, goes, time); }
    void go_out(bool to_beyond, bool to_pause, std::uint64_t time) {
      const bool was_out = is_out();
      is_beyond = to_beyond;
      is_paused = to_pause;
      beyond.set(is_beyond, time);
      paused.set(is_paused && !is_beyond, time);
      if (is_out() == was_out) return;
      active.add(was_out ? teams : -teams, time);
      in_mpi.add(was_out ? mpi_calls : -mpi_calls, time);
      follow_device(time);
    }
  };
  using DetailKey = std::array<std::uint32_t, 5>;

  void charge(State& state, Place place, std::uint64_t ns) { state.ns[static_cast<std::size_t>(place)] += ns; }
  /// The cell of `place` that is really `of` another.
  AccountRow& detail(Place place, Place of, RegionRef region, RegionRef cause, RegionRef parallel);
  AccountRow& detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel) {
    return detail(place, place, region, cause, parallel);
  }
  void add_detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel, std::uint64_t ns,
                  std::uint64_t at, std::uint32_t threads);
  void begin_idle(State& state, std::uint64_t time);
  void replace(State& ended, State& state);
  void charge_idle(State& state, std::uint64_t team_begin, std::uint64_t teams_at_begin, std::uint64_t now,
                   TeamState* shared);
  /// It idles no more, and no team follows.
  void end_idle(State& state, std::uint64_t time, std::uint64_t teams) {
    charge_idle(state, time, teams, time, nullptr);
  }
  void wait_for_others(LocationRef location, State& state, Member& member, const Task& task, Activity activity,
                       std::uint64_t from, std::uint64_t to);
  static PendingEvents::Part wait_for_events(const Member& member, Activity activity, std::uint64_t from,
                                             std::uint64_t to);
  void fulfilled(LocationRef location, std::uint64_t time, std::uint64_t task);
  static std::uint64_t until_last_creation(const Member& member, const Episode& episode, std::uint64_t from,
                                           std::uint64_t to, std::uint64_t detached);
  void arrive(Member& member, RegionRef region, std::uint64_t time);
  void finish_episode(Team& team, Episode& episode, std::uint64_t time);
  void unblock(Task& task, std::uint64_t time);
  static void follow_waiting(State& state, const Task& task, std::uint64_t time);
  void work(State& state, Task& task, std::uint64_t ns);
  RegionRef region_of_work(const Task& task) const;
  void take_out_helper(State& state, const Team& team);
  TeamState& state_of(Team& team) { return teams_[&team]; }
  /// Null: the task is of no team, or of one that has ended.
  TeamState* open_team_of(const Task& task) {
    const auto found = teams_.find(task.team.get());
    return found == teams_.end() ? nullptr : &found->second;
  }
  void refresh(State& state, std::uint64_t time);
  void switch_recording(State& state, bool on, std::uint64_t time);
  void record_again(State& state, std::uint64_t time);
  void lock(LocationRef location, State& state, const Event& event);
  void doacross(State& state, const Task& task, const Event& event, std::span<const EventAttribute> attributes);
  void take_from_work(Member& member, RegionRef region, std::uint64_t ns);
  void lock_taken(const State& state, RegionRef region, const Holds& holds, std::uint64_t time);
  void end_lock_wait(State& state);
  std::size_t parallel_index(const Team& team) const {
    return team.region < definitions_.regions.size() ? team.region + std::size_t{1} : 0;
  }
  /// Those of its region. libomp's own teams for `target nowait` are of none.
  TasksIn& tasks_of(const Team& team) { return tasks_at(team.helps ? 0 : parallel_index(team)); }
  TasksIn& tasks_beside(const Task& task) { return task.team ? tasks_of(*task.team) : tasks_at(0); }
  TasksIn& tasks_at(std::size_t index) {
    std::unique_ptr<TasksIn>& known = tasks_in_[index];
    if (known == nullptr) known = std::make_unique<TasksIn>();
    return *known;
  }
  void close_gap(Process& process, RegionRef behind);
  /// What of the time before the first parallel region and behind the last is no program's.
  struct Outside {
    std::uint64_t start = 0, end = 0;
    std::uint64_t of(RegionRef after, RegionRef before) const {
      return (after == undefined_ref ? start : 0) + (before == undefined_ref ? end : 0);
    }
  };
  Outside outside_of(const Process& process) const;
  void add_serial(Place place, const Process& process, std::uint64_t ns, const Outside& outside);
  void add_unused(const Process& process, std::uint64_t threads, std::uint64_t ns);
  void complete_cells(Account& account);
  Place place_of_lock(RegionRef region) const;
  std::uint64_t estimated_creation() const;
  void close(State& state, const Process& process, std::uint64_t end);
  std::vector<std::vector<LocationRef>> threads_by_process() const;
  void count_presence(const std::vector<LocationRef>& threads, AccountProcess& sum) const;
  static std::uint64_t move(State& state, Place from, Place to, std::uint64_t ns);
  void share_delay(State& state, AccountThread& row);
  void lock_wait(State& state, const Task& task, std::uint64_t ns, std::uint64_t to);
  void device_wait(State& state, const Task& task, std::uint64_t ns, std::uint64_t to);
  RegionRef parallel_of(const State& state) const;
  Process& process_of(const State& state) { return processes_[state.process]; }
  bool is_serial_mpi(const State& state, const Frame& frame) const;
  void count_serial_call(State& state, const Frame& frame, std::int64_t amount, std::uint64_t time);
  void follow_phases(LocationRef location, std::uint64_t time);
  void end_stretch(Process& process, std::uint64_t time);
  void add_idle(Place place, const std::map<RegionRef, std::uint64_t>& regions, std::uint64_t ns, std::uint64_t at);
  AccountProcess sum_of(Process& process, const std::vector<LocationRef>& threads, std::uint64_t start,
                        Account& account);

  const Definitions& definitions_;
  const Replay& replay_;
  std::vector<Process> processes_;
  std::vector<State> states_;
  std::unordered_map<const Team*, TeamState> teams_;
  /// Tasks that wait for others: how many those are; and who waits for a task.
  std::unordered_map<const Task*, std::uint32_t> blocked_;
  std::unordered_map<const Task*, std::vector<Task*>> successors_;
  std::unordered_map<OwnNumber, EndedTask, OwnNumber::Hash> ended_tasks_;  ///< by id, where events are fulfilled
  Bound few_ended_tasks_{std::size_t{1} << 18};
  bool has_events_ = false;
  std::map<DetailKey, AccountRow> details_;
  enum class DoacrossMark : std::uint8_t { none, sink, source };
  std::vector<DoacrossMark> doacross_;              ///< by region; empty: there are none
  std::vector<std::uint64_t> work_by_region_;       ///< by parallel region, at its number + 1
  std::vector<std::unique_ptr<TasksIn>> tasks_in_;  ///< likewise; null: none
  PlaceTimes undelayed_{};                          ///< before the time without a processor is taken from them
  PlaceTimes delayed_from_{};                       ///< and that
  bool is_ours_ = false;                            ///< of other tools the cost of recording is unknown
  std::uint64_t now_ = 0;
  std::uint64_t in_teams_ = 0, most_at_once_ = 0, teams_at_once_ = 0, active_levels_ = 0;
  std::uint64_t tasks_ = 0, task_work_ = 0;
  std::array<std::uint64_t, 256> gaps_{};  ///< between creations, by logarithm
  std::map<RegionRef, LoopFacts> loops_;
  std::map<RegionRef, InRegion> in_regions_;
  std::set<RegionRef> helper_regions_;  ///< of the teams that take_out_helper() found
  std::uint32_t schedule_ = undefined_ref, iterations_ = undefined_ref, chunks_ = undefined_ref,
                task_id_ = undefined_ref;
};

}  // namespace tracer::report
