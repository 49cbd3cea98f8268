// SPDX-License-Identifier: BSD-3-Clause
// The state of a replay at a moment: frames, tasks, teams, and what each location is in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/replay/path_steps.hpp"
#include "tracer/replay/regions.hpp"

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
  std::uint64_t in_teams = 0;   ///< ns in teams that its task made in it or in those inside: in none of the above
  std::uint64_t number = 0;     ///< of its Enter, from 1 in order of time
  LocationRef location = 0;     ///< where that was
};

/// A task's open regions, the innermost last. Those that are gone keep their memory.
class FrameStack {
 public:
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  Frame& back() noexcept { return frames_[size_ - 1]; }  ///< there must be one
  const Frame& back() const noexcept { return frames_[size_ - 1]; }
  const Frame& front() const noexcept { return frames_.front(); }
  const Frame& operator[](std::size_t i) const noexcept { return frames_[i]; }
  const Frame* begin() const noexcept { return frames_.data(); }
  const Frame* end() const noexcept { return frames_.data() + size_; }
  auto rbegin() const noexcept { return std::reverse_iterator{end()}; }
  auto rend() const noexcept { return std::reverse_iterator{begin()}; }
  /// What the frame has is anything, and to be set.
  Frame& push() {
    if (size_ == frames_.size()) frames_.resize(size_ == 0 ? usual_depth : 2 * size_);
    return frames_[size_++];
  }
  /// There must be one; it stays as it is until the next push().
  Frame& pop() noexcept { return frames_[--size_]; }
  void clear() noexcept { size_ = 0; }

 private:
  static constexpr std::size_t usual_depth = 4;
  std::vector<Frame> frames_;  ///< and behind them what is free
  std::size_t size_ = 0;
};

struct Team;
struct Task;
class TaskPool;

/// Keeps a task of a replay, which there must be until the last of these is gone. One thread.
class TaskRef {
 public:
  TaskRef() noexcept = default;
  explicit TaskRef(Task* task) noexcept;
  TaskRef(const TaskRef& other) noexcept : TaskRef{other.task_} {}
  TaskRef(TaskRef&& other) noexcept : task_{std::exchange(other.task_, nullptr)} {}
  TaskRef& operator=(TaskRef other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~TaskRef() { reset(); }
  void reset() noexcept;
  Task* get() const noexcept { return task_; }
  Task* operator->() const noexcept { return task_; }
  Task& operator*() const noexcept { return *task_; }
  bool operator==(const TaskRef&) const noexcept = default;
  bool operator==(std::nullptr_t) const noexcept { return task_ == nullptr; }

 private:
  friend class TaskPool;
  Task* task_ = nullptr;
};

/// An explicit task, an implicit task, or what a location does outside of teams.
struct Task {
  std::uint64_t id = 0;      ///< TASK_ID, 0 unknown
  std::uint64_t number = 0;  ///< of an explicit task, from 1 in order of creation
  bool is_explicit = false, started = false, completed = false;
  bool discarded = false;                  ///< by a cancellation: completed without having run
  bool undeferred = false;                 ///< what created it goes on only when it is complete
  bool is_final = false;                   ///< the tasks that it creates are undeferred, and final as well
  LocationRef location = 0;                ///< where it ran last; where it was created until then
  LocationRef created_on = undefined_ref;  ///< undefined_ref: not recorded
  RegionRef region = undefined_ref;
  RegionRef creation = undefined_ref;  ///< the region in which it was created; undefined_ref: not recorded
  std::uint64_t created = 0, first_start = 0, active = 0, create_ns = 0;
  std::uint64_t waited = 0;    ///< of `active`: for other threads, and for its own tasks
  std::shared_ptr<Team> team;  ///< kept, since a task may outlast its team in archives that are wrong
  FrameStack stack;
  TaskRef parent;  ///< what created it; of a complete task what is left of those above
  // For the critical path (graph.cpp):
  Path path, descendants, children;
  Path chain;                  ///< of tasks that depend on each other, itself included once it is complete
  std::vector<TaskRef> after;  ///< predecessors by depend, until the first start
  std::uint64_t barriers = 0;  ///< of an implicit task: how many it has entered

  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  /// The nearest of those that it was created in which is not complete; null: there is none.
  Task* open_ancestor();
  /// Complete tasks above it are of no use: where each task makes the next and ends, memory would grow with them.
  void forget_complete_ancestors();

 private:
  friend class TaskRef;
  friend class TaskPool;
  TaskPool* pool = nullptr;
  std::uint32_t references = 0;
};

/// Tasks come and go by the million: those that are gone are used again, with what they have of memory. One thread;
/// must be there as long as references to its tasks.
class TaskPool {
 public:
  TaskPool() = default;
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;
  ~TaskPool();
  TaskRef make();

 private:
  friend class TaskRef;
  static constexpr std::size_t tasks_of_slab = 64;
  void take_back(Task* task) noexcept;

  std::vector<std::unique_ptr<Task[]>> slabs_;
  std::vector<Task*> free_, gone_;  ///< as new, and about to be; with room for all
};

inline TaskRef::TaskRef(Task* task) noexcept : task_{task} {
  if (task_ != nullptr) ++task_->references;
}
inline void TaskRef::reset() noexcept {
  Task* const task = std::exchange(task_, nullptr);
  if (task != nullptr && --task->references == 0) task->pool->take_back(task);
}

/// One execution of a parallel region.
struct Team {
  CommRef comm = undefined_ref;
  std::uint64_t number = 0;  ///< from 1 in order of begin
  RegionRef region = undefined_ref;
  LocationRef master = 0;
  std::uint64_t begin = 0, end = 0;
  std::uint32_t size = 0, begun = 0, ended = 0;
  bool joined = false;
  bool helps =
      false;  ///< libomp's own team for `target nowait`: what is outside of its explicit tasks is nobody's work
  TaskRef encountering;
  struct Member {
    LocationRef location = 0;
    // For Teams (teams.hpp):
    std::uint64_t ns[static_cast<std::size_t>(Activity::count_)] = {};
    std::uint64_t nested = 0;  ///< as the master of teams inside, in none of `ns`
  };
  std::vector<Member> members;
  Path first_path;  ///< of the encountering task when the first member began
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
  TaskRef implicit;
  std::size_t member = 0;
  std::uint64_t charged_before = 0;  ///< what the location had of `charged` when this began
};

struct LocationState {
  LocationKind kind = LocationKind::cpu_thread;
  bool begun = false;    ///< has had an event
  bool initial = false;  ///< between ProgramBegin and ProgramEnd
  bool off = false;      ///< recording is
  std::uint64_t last = 0;
  std::uint64_t charged = 0;  ///< ns that observers have got of it
  std::uint64_t ended = 0;    ///< when its thread ended, while the process went on; 0: not yet
  TaskRef root, current;
  std::vector<Membership> contexts;
  std::vector<std::pair<std::uint64_t, TaskRef>> forks;  ///< open: time and encountering task
  std::vector<CommRef> leads;                            ///< teams that are not over and whose master it is
  /// The innermost for which `is` holds of its team; nullptr: there is none. A thread in regions of two runtimes makes
  /// and runs tasks of the outer one's team inside of the inner one's, too. Deeper than any nest no team is looked at.
  template <class Is>
  const Membership* membership(const Is& is) const {
    constexpr std::ptrdiff_t deepest = 1024;
    const auto end = contexts.rbegin() + std::min<std::ptrdiff_t>(deepest, std::ssize(contexts));
    const auto found = std::find_if(contexts.rbegin(), end, [&](const Membership& m) { return is(*m.team); });
    return found != end ? &*found : nullptr;
  }
  Activity activity() const noexcept {
    if (!current->stack.empty()) return current->stack.back().activity;
    return initial || !contexts.empty() ? Activity::work : Activity::idle;
  }
};

}  // namespace tracer::report
