// SPDX-License-Identifier: BSD-3-Clause
// The account: every second of every thread, from the process' start to its end, in exactly one place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/replay/mpi/waits.hpp"
#include "tracer/replay/run_facts.hpp"

namespace tracer::report {

/// Where a thread's time goes. What is won back by a cure lies in the places between `work` and `device`.
enum class Place : std::uint8_t {
  work,         ///< the program's own code inside parallel regions
  serial,       ///< the program's own code outside of them, on the thread that runs it
  serial_idle,  ///< other threads meanwhile
  imbalance,    ///< at a barrier, until the last thread came
  starvation,   ///< for tasks that others still run or have not created yet
  detached,     ///< for events of detached tasks (omp_fulfill_event)
  tasking,      ///< creating, scheduling and finding tasks
  team,         ///< start and join of teams, and leaving barriers
  locks,        ///< for omp_set_lock and the like
  exclusive,    ///< for critical, atomic and ordered
  device,       ///< for devices
  device_idle,  ///< other threads of the process meanwhile, outside of parallel regions
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

/// A cell of the account: time of a place, at a region, because of another. The cells of a place add up to it.
struct AccountRow {
  Place place = Place::unknown;
  /// Where it was spent: barrier, lock, parallel region. Of what is serial: the parallel region before it.
  RegionRef region = undefined_ref;
  /// What kept the last thread, or who held the lock; inside MPI the call that is waited for. Of what is serial: the
  /// parallel region behind it.
  RegionRef cause = undefined_ref;
  RegionRef parallel = undefined_ref;
  /// What the thread did there: of Place::descheduled the place that the time is missing from; Place::tool: the part
  /// that recording adds, or that is a process' own start; Place::team: for handing out chunks. Else the place itself.
  Place of = Place::unknown;
  std::optional<MpiWait> wait;  ///< inside MPI, and beside it: the wait state
  std::uint64_t ns = 0, count = 0, longest = 0;
  std::uint64_t longest_at = 0;  ///< when the longest one ended
  std::uint32_t threads = 0;     ///< of the largest team
  bool is(Place what) const { return place == what && of == what; }
};

struct AccountThread {
  LocationRef location = 0;
  PlaceTimes ns{};
  ThreadFacts facts;
  std::uint64_t ended = 0;        ///< when, on the events' clock; 0: with its process
  std::uint64_t ran_at_work = 0;  ///< ns of a processor that its work in teams had
  /// And would have had with one at all times: what does not sleep.
  std::uint64_t able_to_work = 0;
};

/// One process' part of the account.
struct AccountProcess {
  std::uint32_t group = 0;  ///< of locations
  std::uint64_t begin = 0, end = 0, threads = 0;
  std::uint64_t ended = 0;    ///< threads that ended while the process went on
  std::uint64_t present = 0;  ///< threads that were there at one time, at most
  std::uint64_t workers = 0;  ///< as that, without those that the program made itself
  /// In which no team was at work, and its thread neither in MPI nor waiting for a device.
  std::uint64_t serial_wall = 0;
  std::uint64_t device_wall = 0;  ///< outside of teams, in which its thread waited for a device
  std::uint64_t beyond = 0;       ///< outside of the phases that the trace is confined to
  std::uint64_t paused = 0;       ///< within them, with recording off
  PlaceTimes ns{};
  std::uint64_t wall() const { return end - begin - std::min(end - begin, beyond); }
};

/// A stretch in which no team was at work.
struct SerialStretch {
  std::uint64_t from = 0, to = 0;
  RegionRef after = undefined_ref, before = undefined_ref;  ///< parallel regions
  std::uint64_t ns = 0;  ///< the program's own: without MPI, waits for devices, and its process' start and end
};

/// A worksharing loop, beside its times.
struct LoopFacts {
  std::set<std::string> schedules;
  std::uint64_t iterations = 0;      ///< the largest recorded
  std::uint64_t all_iterations = 0;  ///< of all executions
  std::uint64_t chunks = 0;          ///< that were handed out, of all executions; 0: unknown
};

/// Tasks that ran and were completed in a parallel region, over all its executions, and who made them.
struct TasksIn {
  std::uint64_t tasks = 0, work = 0;       ///< work: ns of the program's own code in them
  std::uint64_t executions = 0, wall = 0;  ///< of the region, with such tasks; ns that these took
  std::uint64_t last = 0, all_last = 0;    ///< ns of a task with which an execution's were done: at most, and the sum
  std::uint64_t dependences = 0;           ///< of one task on another
  std::uint64_t creates = 0, own_creates = 0;    ///< own: by implicit tasks, in their own code
  std::map<RegionRef, std::uint64_t> own_waits;  ///< how often implicit tasks came to each taskwait and taskgroup
  std::uint64_t all_waiters = 0;  ///< how many of these were in such waits at one time: the sum of the executions' most
  std::map<RegionRef, std::uint64_t> of_construct;  ///< how many each has
  void add(const TasksIn& other) {
    tasks += other.tasks;
    work += other.work;
    executions += other.executions;
    wall += other.wall;
    last = std::max(last, other.last);
    all_last += other.all_last;
    dependences += other.dependences;
    creates += other.creates;
    own_creates += other.own_creates;
    all_waiters += other.all_waiters;
    for (const auto& [region, count] : other.own_waits) own_waits[region] += count;
    for (const auto& [region, count] : other.of_construct) of_construct[region] += count;
  }
};

struct Account {
  std::uint64_t begin = 0, end = 0;  ///< of the processes together
  bool whole_process = false;        ///< begins and ends are the kernel's; else the first and last event
  PlaceTimes ns{};
  std::uint64_t total = 0;  ///< the sum of `ns`: threads x (end - begin - beyond), of each process
  std::uint64_t serial_wall = 0, device_wall = 0, paused = 0;  ///< means of the processes'
  bool is_confined = false;                                    ///< to phases: the rest is not in it
  std::uint64_t within = 0;                                    ///< those phases; a mean of the processes, too
  std::uint64_t wall() const { return is_confined ? within : end - begin; }
  std::uint64_t threads = 0;              ///< in the account
  std::uint64_t ended = 0, present = 0;   ///< of them, as of the processes
  std::uint64_t most_at_once = 0;         ///< threads in teams at one time
  std::uint64_t teams_at_once = 0;        ///< and in how many of one process they were then, without nested ones
  std::uint64_t active_levels = 0;        ///< how deep teams of more than one thread were nested
  std::uint64_t helpers = 0;              ///< threads of libomp's own for `target nowait`: not in `threads`
  std::uint64_t tasks = 0;                ///< that ran and were completed
  std::uint64_t task_work = 0;            ///< the program's own code in them
  std::map<RegionRef, TasksIn> tasks_in;  ///< by their team's parallel region; undefined_ref: of none
  std::uint64_t create_cost = 0;          ///< what the creation of a task is estimated to cost
  std::uint64_t creating = 0;             ///< ns of Place::tasking: of those who create tasks, for that
  std::vector<AccountProcess> processes;
  std::vector<AccountThread> rows;
  std::vector<AccountRow> details;       ///< by time
  std::vector<SerialStretch> stretches;  ///< the longest ones
  std::map<RegionRef, LoopFacts> loops;
  /// How many threads of its teams are in a parallel region at one time: a mean of the time in which there are any.
  std::map<RegionRef, double> threads_in;
  std::uint64_t at(Place place) const { return ns[static_cast<std::size_t>(place)]; }
  /// Takes `ns` of a cell into one of its own, behind all: its index.
  std::size_t split(std::size_t cell, std::uint64_t ns);
  void complete(Place place);
  void sort();  ///< the cells, by time
};

}  // namespace tracer::report
