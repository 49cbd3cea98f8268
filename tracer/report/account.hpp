// SPDX-License-Identifier: BSD-3-Clause
// The account: every second of every thread, from the process' start to its end, in exactly one place.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/report/replay.hpp"
#include "tracer/report/run_facts.hpp"

namespace tracer::report {

/// Where a thread's time goes. What is won back by a cure lies in the places between `work` and `device`.
enum class Place : std::uint8_t {
  work,         ///< the program's own code inside parallel regions
  serial,       ///< the program's own code outside of them, on the thread that runs it
  serial_idle,  ///< other threads meanwhile
  imbalance,    ///< at a barrier, until the last thread came
  starvation,   ///< for tasks that others still run or have not created yet
  tasking,      ///< creating, scheduling and finding tasks
  team,         ///< start and join of teams, and leaving barriers
  locks,        ///< for omp_set_lock and the like
  exclusive,    ///< for critical, atomic and ordered
  device,       ///< for devices
  mpi,          ///< inside MPI
  mpi_idle,     ///< other threads of the process meanwhile, outside of parallel regions
  unused,       ///< beside a team that other threads form
  tool,         ///< the tool's start, and waits for its drainer
  descheduled,  ///< able to run, without a processor
  absent,       ///< a thread that was not there yet, or had ended
  unknown,
  count_
};
const char* name_of(Place place) noexcept;  ///< stable, for JSON
const char* text_of(Place place) noexcept;  ///< for people
inline constexpr std::size_t places = static_cast<std::size_t>(Place::count_);
using PlaceTimes = std::array<std::uint64_t, places>;

/// Time of a place, at a region, because of another.
struct AccountRow {
  Place place = Place::unknown;
  RegionRef region = undefined_ref;  ///< where it was spent: barrier, lock, parallel region
  RegionRef cause = undefined_ref;   ///< what kept the last thread, or who held the lock
  RegionRef parallel = undefined_ref;
  std::uint64_t ns = 0, count = 0, longest = 0;
  std::uint64_t longest_at = 0;  ///< when the longest one ended
  std::uint32_t threads = 0;     ///< of the largest team
};

struct AccountThread {
  LocationRef location = 0;
  PlaceTimes ns{};
  ThreadFacts facts;
  std::uint64_t ended = 0;  ///< when, on the events' clock; 0: with its process
};

/// One process' part of the account.
struct AccountProcess {
  std::uint32_t group = 0;  ///< of locations
  std::uint64_t begin = 0, end = 0, threads = 0;
  std::uint64_t ended = 0;        ///< threads that ended while the process went on
  std::uint64_t present = 0;      ///< threads that were there at one time, at most
  std::uint64_t serial_wall = 0;  ///< in which no team was at work, and its thread was not in MPI
  std::uint64_t beyond = 0;       ///< outside of the phases that the trace is confined to
  PlaceTimes ns{};
};

/// A stretch in which no team was at work.
struct SerialStretch {
  std::uint64_t from = 0, to = 0;
  RegionRef after = undefined_ref, before = undefined_ref;  ///< parallel regions
};

/// What is known of a worksharing loop beside its times.
struct LoopFacts {
  std::set<std::string> schedules;
  std::uint64_t iterations = 0;      ///< the largest that was told
  std::uint64_t all_iterations = 0;  ///< of all executions
  std::uint64_t chunks = 0;          ///< that were handed out, of all executions; 0 not known
};

struct Account {
  std::uint64_t begin = 0, end = 0;  ///< of the processes together
  bool whole_process = false;        ///< begins and ends are the kernel's; else the first and last event
  PlaceTimes ns{};
  std::uint64_t total = 0;        ///< the sum of `ns`: threads x (end - begin - beyond), of each process
  std::uint64_t serial_wall = 0;  ///< mean of the processes'
  bool is_confined = false;       ///< to phases: of the rest is told nothing
  std::uint64_t within = 0;       ///< those phases; a mean of the processes, too
  std::uint64_t wall() const { return is_confined ? within : end - begin; }
  std::uint64_t threads = 0;                   ///< in the account
  std::uint64_t ended = 0, present = 0;        ///< of them, as of the processes
  std::uint64_t most_at_once = 0;              ///< threads in teams at one time
  std::uint64_t teams_at_once = 0;             ///< and in how many of one process they were then, without nested ones
  std::uint64_t active_levels = 0;             ///< how deep teams of more than one thread were nested
  std::uint64_t helpers = 0;                   ///< threads of libomp's own for `target nowait`: not in `threads`
  std::uint64_t tasks = 0;                     ///< that were completed
  std::uint64_t task_work = 0;                 ///< the program's own code in them
  std::uint64_t creates = 0, create_cost = 0;  ///< how many, and what one is estimated to cost
  std::vector<AccountProcess> processes;
  std::vector<AccountThread> rows;
  std::vector<AccountRow> details;       ///< by time
  std::vector<SerialStretch> stretches;  ///< the longest ones
  std::map<RegionRef, LoopFacts> loops;
  std::uint64_t at(Place place) const { return ns[static_cast<std::size_t>(place)]; }
};

/// How long a count was above zero.
class Integral {
 public:
  void add(std::int64_t amount, std::uint64_t time) {
    sum_ = value(time);
    since_ = std::max(since_, time);
    count_ += amount;
  }
  std::uint64_t value(std::uint64_t time) const { return sum_ + (count_ > 0 && time > since_ ? time - since_ : 0); }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
  std::uint64_t sum_ = 0, since_ = 0;
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
  void task_dependence(Task& source, Task& sink) override;
  void thread_ended(LocationRef location, std::uint64_t time) override;
  void team_begun(LocationRef location, Team& team, Task& implicit) override;
  void team_left(LocationRef location, Team& team, Task& implicit) override;
  void team_ended(Team& team) override;
  Account account();

 private:
  static constexpr std::size_t most_stretches = 64;
  using Spent = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  ///< ns by region, or by location

  /// One barrier of one team: who has come, and what was waited.
  struct Episode {
    RegionRef region = undefined_ref, cause = undefined_ref;
    std::uint32_t arrived = 0, left = 0;
    std::uint64_t last_arrival = 0, busy_at_arrival = 0;  ///< 0: not all have come
    std::uint64_t imbalance = 0, starvation = 0, tasking = 0, rest = 0;
    bool creator_was_last = false;  ///< the others waited for tasks, then
    Spent waited;                   ///< `imbalance`, by location
    Spent spent;                    ///< by region: of all who came, since the barrier before
  };
  struct TeamState {
    std::map<std::uint64_t, Episode> episodes;  ///< open ones, by number
    Integral queued, busy;                      ///< tasks that wait to be run; tasks that are not complete
    std::uint64_t begin = 0;
  };
  /// A location's part in a team.
  struct Member {
    Team* team = nullptr;
    TeamState* shared = nullptr;
    std::uint64_t number = 0;   ///< of the next barrier
    std::size_t waited_at = 0;  ///< its place in that barrier's `waited`, once it has one there
    bool waiting = false;
    std::uint64_t created = 0;                     ///< tasks since the barrier before
    std::uint64_t queued_from = 0, busy_from = 0;  ///< the integrals at the location's last event
    Spent spent;                                   ///< by region, since the barrier before
  };
  struct State {
    bool counted = false, worker = false, initial = false, seen = false, forking = false, joining = false, idle = false,
         helper = false;
    std::uint64_t idle_from = 0;
    std::uint64_t first = 0;                    ///< its first event
    std::uint64_t ended = 0;                    ///< when the thread ended, while its process went on; 0: not yet
    std::uint64_t beyond_at_end = 0;            ///< outside of the phases, until then
    std::uint64_t teams_before = 0;             ///< the teams' time when the idling began
    std::uint64_t teams_now = 0;                ///< that of the location's last event
    std::uint64_t mpi_before = 0, mpi_now = 0;  ///< as those, of the time that its process' thread was in MPI
    std::uint64_t beyond_before = 0;            ///< and outside of the phases that the trace is confined to
    std::uint32_t process = 0;                  ///< index into processes_
    std::uint64_t tool_until = 0;               ///< it waited for the drainer, or wrote a record
    std::uint64_t created_at = 0, creates = 0;
    std::uint64_t lock_from = 0;  ///< of the wait that goes on
    std::uint64_t team_ns = 0;    ///< that the master needed for the team's start and join
    std::vector<Member> members;
    std::vector<std::uint64_t> teams_at_fork;
    PlaceTimes ns{};
  };
  /// What a location group's threads share.
  struct Process {
    std::uint32_t group = 0;
    LocationRef first = 0;  ///< its initial thread
    RunFacts facts;
    Integral active;  ///< teams outside of others; as in_mpi, within the phases that the trace is confined to
    Integral in_mpi;  ///< its first thread, outside of teams
    Integral beyond;  ///< outside of those phases
    std::int64_t teams = 0, mpi_calls = 0;  ///< now
    bool is_beyond = false;
    std::uint64_t begin = 0, last = 0;
    std::uint64_t serial_since = 0;
    RegionRef serial_after = undefined_ref;
    std::vector<SerialStretch> stretches;
    std::map<RegionRef, std::uint64_t> mpi_regions;  ///< where in_mpi comes from
    std::map<std::uint64_t, RegionRef> holders;      ///< of each lock, by its number: who had it last

    void count_teams(std::int64_t amount, std::uint64_t time) {
      teams += amount;
      if (!is_beyond) active.add(amount, time);
    }
    void count_mpi(std::int64_t amount, std::uint64_t time) {
      mpi_calls += amount;
      if (!is_beyond) in_mpi.add(amount, time);
    }
    void go_beyond(bool goes, std::uint64_t time) {
      if (goes == is_beyond) return;
      is_beyond = goes;
      active.add(goes ? -teams : teams, time);
      in_mpi.add(goes ? -mpi_calls : mpi_calls, time);
      beyond.add(goes ? 1 : -1, time);
    }
  };
  using DetailKey = std::array<std::uint32_t, 4>;

  static void add_to(Spent& spent, std::uint32_t where, std::uint64_t ns);
  void charge(State& state, Place place, std::uint64_t ns) { state.ns[static_cast<std::size_t>(place)] += ns; }
  AccountRow& detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel);
  void add_detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel, std::uint64_t ns,
                  std::uint64_t at, std::uint32_t threads);
  void charge_idle(State& state, std::uint64_t team_begin, std::uint64_t teams_at_begin, std::uint64_t now,
                   RegionRef parallel);
  void wait_for_others(LocationRef location, State& state, Member& member, const Task& task, Activity activity,
                       std::uint64_t from, std::uint64_t to);
  void arrive(Member& member, RegionRef region, std::uint64_t time);
  void finish_episode(Team& team, Episode& episode, std::uint64_t time);
  void unblock(Task& task, std::uint64_t time);
  void work(State& state, Task& task, std::uint64_t ns);
  void take_out_helper(State& state, const Team& team);
  TeamState& state_of(Team& team) { return teams_[&team]; }
  void refresh(State& state, std::uint64_t time);
  void lock(LocationRef location, State& state, const Event& event);
  Place place_of_lock(RegionRef region) const;
  std::uint64_t estimated_creation() const;
  void close(State& state, const Process& process, std::uint64_t end);
  void count_presence(std::size_t process, AccountProcess& sum) const;
  static std::uint64_t move(State& state, Place from, Place to, std::uint64_t ns);
  static void share_delay(State& state, std::uint64_t delay);
  void lock_wait(State& state, const Task& task, std::uint64_t ns, std::uint64_t to);
  RegionRef parallel_of(const State& state) const;
  Process& process_of(const State& state) { return processes_[state.process]; }
  bool is_serial_mpi(const State& state, const Frame& frame) const;
  void follow_phases(LocationRef location, std::uint64_t time);
  void end_stretch(Process& process, std::uint64_t time);
  void add_mpi_idle(const Process& process, std::uint64_t ns);
  AccountProcess sum_of(Process& process, std::uint64_t start, Account& account);

  const Definitions& definitions_;
  const Replay& replay_;
  std::vector<Process> processes_;
  std::vector<State> states_;
  std::unordered_map<const Team*, TeamState> teams_;
  /// Tasks that wait for others: how many those are; and who waits for a task.
  std::unordered_map<const Task*, std::uint32_t> blocked_;
  std::unordered_map<const Task*, std::vector<Task*>> successors_;
  std::map<DetailKey, AccountRow> details_;
  std::uint64_t undelayed_tasking_ = 0;  ///< Place::tasking, before the time without a processor is taken from it
  bool is_ours_ = false;                 ///< what recording cost is known of no other tool
  std::uint64_t now_ = 0;
  std::uint64_t in_teams_ = 0, most_at_once_ = 0, teams_at_once_ = 0, active_levels_ = 0;
  std::uint64_t tasks_ = 0, task_work_ = 0, creates_ = 0;
  std::array<std::uint64_t, 256> gaps_{};  ///< between creations, by logarithm
  std::map<RegionRef, LoopFacts> loops_;
  std::set<RegionRef> helper_regions_;  ///< of the teams that take_out_helper() found
  std::uint32_t schedule_ = undefined_ref, iterations_ = undefined_ref, chunks_ = undefined_ref;
};

}  // namespace tracer::report
