// SPDX-License-Identifier: BSD-3-Clause
// Follows a trace event by event: what each location does, which task runs there, in which team.
// Observers are told in terms of frames, tasks and teams instead of events.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tracer/event_source.hpp"
#include "tracer/own_number.hpp"
#include "tracer/report/regions.hpp"
#include "tracer/report/trail.hpp"

namespace tracer::report {

/// The longest chain of work that led somewhere: its time, and how many explicit tasks are on it.
struct Path {
  std::uint64_t ns = 0, tasks = 0;
  Trail trail;  ///< null where none is kept
};
inline const Path& longer(const Path& a, const Path& b) {
  return b.ns > a.ns || (b.ns == a.ns && b.tasks > a.tasks) ? b : a;
}

struct Frame {
  RegionRef region = 0;
  Activity activity = Activity::work;  ///< of the moment: a lock's frame turns to work once it is acquired
  std::uint64_t enter = 0;
  std::uint64_t exclusive = 0;  ///< ns in this region itself, while its task was running
  std::uint64_t active = 0;     ///< exclusive and that of the frames inside
  std::uint64_t waiting = 0;    ///< of exclusive: while the activity was one of waiting
  std::uint64_t number = 0;     ///< of its Enter, from 1 in order of time
  LocationRef location = 0;     ///< where that was
};

struct Team;

/// An explicit task, an implicit task, or what a location does outside of teams.
struct Task {
  std::uint64_t id = 0;      ///< TASK_ID, 0 unknown
  std::uint64_t number = 0;  ///< of an explicit task, from 1 in order of creation
  bool is_explicit = false, started = false, completed = false;
  LocationRef location = 0;                ///< where it ran last; where it was created until then
  LocationRef created_on = undefined_ref;  ///< undefined_ref: nothing told of that
  RegionRef region = undefined_ref;
  std::uint64_t created = 0, first_start = 0, active = 0, create_ns = 0;
  std::vector<Frame> stack;
  std::shared_ptr<Task> parent;  ///< what created it; of a complete task what is left of those above
  Team* team = nullptr;
  std::uint64_t team_number = 0;  ///< of the team, which may be gone; 0 none
  // For the critical path (graph.cpp):
  Path path, descendants, children;
  Path chain;  ///< of tasks that depend on each other, itself included once it is complete
  std::vector<std::shared_ptr<Task>> after;  ///< predecessors by depend, until the first start
  std::uint64_t barriers = 0;                ///< of an implicit task: how many it has entered

  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task();
  /// The nearest of those that it was created in which is not complete; null: there is none.
  Task* open_ancestor();
  /// Complete tasks above it are of no use: where each task makes the next and ends, memory would grow with them.
  void forget_complete_ancestors();
};

/// One execution of a parallel region.
struct Team {
  CommRef comm = undefined_ref;
  std::uint64_t number = 0;  ///< from 1 in order of begin
  RegionRef region = undefined_ref;
  LocationRef master = 0;
  std::uint64_t begin = 0, end = 0;
  std::uint32_t size = 0, begun = 0, ended = 0;
  bool joined = false;
  std::shared_ptr<Task> encountering;
  struct Member {
    LocationRef location = 0;
    std::uint64_t ns[static_cast<std::size_t>(Activity::count_)] = {};
  };
  std::vector<Member> members;
  Path final_path;
  /// Of a barrier: the longest path into it, and how many members have left it.
  struct Barrier {
    Path longest;
    std::uint32_t left = 0;
  };
  std::vector<Barrier> barriers;    ///< the n-th is at n - barriers_gone
  std::uint64_t barriers_gone = 0;  ///< those that all members have left are forgotten
  std::size_t barriers_passed = 0;  ///< at the beginning of `barriers`: all members have left them
};

/// A location's membership in a team, innermost last.
struct Membership {
  std::shared_ptr<Team> team;
  std::shared_ptr<Task> implicit;
  std::size_t member = 0;
};

struct LocationState {
  LocationKind kind = LocationKind::cpu_thread;
  bool begun = false;    ///< has had an event
  bool initial = false;  ///< between ProgramBegin and ProgramEnd
  std::uint64_t last = 0;
  std::shared_ptr<Task> root, current;
  std::vector<Membership> contexts;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Task>>> forks;  ///< open: time and encountering task
  Activity activity() const;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Which of the four calls that come with every event it is to get: a sum. Asked when it is added to a replay.
  enum Told : unsigned { of_events = 1, of_intervals = 2, of_enters = 4, of_leaves = 8, of_all = 15 };
  virtual unsigned told() const { return of_all; }
  virtual void event(LocationRef, const Event&, std::span<const EventAttribute>) {}
  /// Now and then, for progress.
  virtual void events_so_far(std::uint64_t) {}
  /// `location` did `activity` from `from` to `to` in `task`, whose innermost frame is charged with it.
  virtual void interval(LocationRef, Task&, Activity, std::uint64_t /*from*/, std::uint64_t /*to*/) {}
  virtual void enter(LocationRef, Task&, const Frame&) {}
  virtual void leave(LocationRef, Task&, const Frame&, std::uint64_t /*time*/) {}
  virtual void task_created(LocationRef, Task& /*creator*/, Task&) {}
  virtual void task_started(LocationRef, Task&) {}
  virtual void task_completed(LocationRef, Task&, std::uint64_t /*time*/) {}
  /// `from` or `to` may be a location's implicit task.
  virtual void task_switched(LocationRef, Task& /*from*/, Task& /*to*/, std::uint64_t /*time*/) {}
  virtual void task_dependence(Task& /*source*/, Task& /*sink*/) {}
  virtual void team_begun(LocationRef, Team&, Task& /*implicit*/) {}
  virtual void team_left(LocationRef, Team&, Task& /*implicit*/) {}
  virtual void team_ended(Team&) {}
  virtual void finished(std::uint64_t /*last time*/) {}
};

class Replay final : public EventVisitor {
 public:
  explicit Replay(const Definitions& definitions);
  void add(Observer& observer);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  /// After the last event: closes what is open.
  void finish();

  const std::vector<RegionClass>& classes() const { return classes_; }
  const LocationState& location(LocationRef ref) const { return locations_[ref]; }
  /// Explicit tasks that are not complete, by their numbers.
  std::vector<const Task*> open_tasks() const;
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return last_; }
  /// Of the location's process and its devices: what its threads do is not followed beyond.
  std::uint64_t last_of(LocationRef ref) const { return last_of_[process_[ref]]; }
  /// Of the location: in the order of processes.
  std::uint32_t process_of(LocationRef ref) const { return process_[ref]; }
  /// A number that the location's process gave.
  OwnNumber in_process(LocationRef ref, std::uint64_t number) const { return {process_[ref], number}; }
  std::uint64_t events() const { return events_; }
  /// Events that did not fit: leave without enter, unknown tasks, time that decreases.
  std::uint64_t irregular() const { return irregular_; }

 private:
  struct TaskKey {
    CommRef comm;
    std::uint32_t rank;
    std::uint64_t generation;
    bool operator==(const TaskKey&) const = default;
  };
  struct TaskKeyHash {
    std::size_t operator()(const TaskKey& key) const noexcept {
      return (key.generation * 0x9e3779b97f4a7c15u) ^ (std::size_t{key.comm} << 32) ^ (std::size_t{key.rank} << 16);
    }
  };
  std::uint64_t attribute(std::span<const EventAttribute> attributes, std::uint32_t which) const;
  void charge(LocationRef ref, LocationState& location, std::uint64_t time);
  void do_enter(LocationRef ref, LocationState& location, const Event& event,
                std::span<const EventAttribute> attributes);
  void do_leave(LocationRef ref, LocationState& location, const Event& event);
  void do_team_begin(LocationRef ref, LocationState& location, const Event& event);
  void do_team_end(LocationRef ref, LocationState& location, std::uint64_t time);
  void do_join(LocationRef ref, LocationState& location);
  void do_task_create(LocationRef ref, LocationState& location, const Event& event,
                      std::span<const EventAttribute> attributes);
  void do_task_switch(LocationRef ref, LocationState& location, const Event& event);
  void do_task_complete(LocationRef ref, LocationState& location, const Event& event);
  void end_team(Team& team, std::uint64_t time);
  void dependence(LocationRef ref, std::span<const EventAttribute> attributes);
  std::shared_ptr<Task> find(const Event& event, Team* team);

  const Definitions& definitions_;
  std::vector<RegionClass> classes_;
  std::vector<LocationState> locations_;
  std::vector<std::uint32_t> process_;             ///< of each location
  std::vector<std::uint64_t> last_of_;             ///< of each process
  std::vector<std::vector<LocationRef>> members_;  ///< of each comm
  std::vector<Observer*> observers_, of_events_, of_intervals_, of_enters_, of_leaves_;
  std::unordered_map<CommRef, std::shared_ptr<Team>> teams_;
  std::unordered_map<TaskKey, std::shared_ptr<Task>, TaskKeyHash> tasks_;
  std::unordered_map<OwnNumber, std::weak_ptr<Task>, OwnNumber::Hash> by_id_;  ///< empty where nothing asks for it
  bool has_dependences_ = false;
  std::uint32_t task_id_, source_id_, sink_id_;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0, events_ = 0, irregular_ = 0;
  std::uint64_t enters_ = 0, tasks_begun_ = 0, teams_begun_ = 0;  ///< the numbers given so far
};

}  // namespace tracer::report
