// SPDX-License-Identifier: BSD-3-Clause
// E29: one-sided communication of MPI.
#include <array>
#include <map>

#include "tracer/check/rules_mpi.hpp"
#include "tracer/number_map.hpp"

namespace tracer::check {
namespace {

namespace v = otf2::values;

/// Operations, windows and locks are a process's: any of its threads may end them.
class OneSided final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return k >= EventKind::rma_win_create && k <= EventKind::rma_op_complete_remote;
  }
  void event(const EventView& e) override {
    if (e.kind == EventKind::rma_collective_begin || e.kind == EventKind::rma_collective_end) collective(e);
    if (e.kind == EventKind::rma_collective_begin) return;
    const std::uint64_t window = e.field[window_at(e.kind)];
    if (!is_window_of_mpi(d(), window)) return;
    applies();
    Process& process = processes_[process_of(d(), e.location)];
    switch (e.kind) {
      case EventKind::rma_win_create:
        if (++process.windows[window] > 1) add_violation(e, "the window " + std::to_string(window) + " is made again");
        return;
      case EventKind::rma_win_destroy:
        if (--process.windows[window] < 0)
          add_violation(e, "the window " + std::to_string(window) + " ends that was not made");
        return;
      case EventKind::rma_request_lock:
      case EventKind::rma_acquire_lock:
      case EventKind::rma_release_lock:
        return lock(e, process.locks[{window, e.field[1]}]);
      case EventKind::rma_put:
      case EventKind::rma_get:
      case EventKind::rma_atomic:
        return begin_operation(e, process);
      case EventKind::rma_op_complete_blocking:
      case EventKind::rma_op_complete_non_blocking:
      case EventKind::rma_op_complete_remote:
      case EventKind::rma_op_test:
        return end_operation(e, process);
      default:
        return;
    }
  }
  void finish() override {
    if (!is_whole(c_)) return;
    const auto failed = static_cast<std::int64_t>(unrecorded(c_, "LOCKS_THAT_FAILED"));  // asked for, and never had
    for (const auto& [id, process] : processes_) {
      for (const auto& [number, operation] : process.operations)
        if (!operation.is_complete_here)
          add_violation(operation.location, operation.time,
                        "the operation " + std::to_string(number) + " is never complete");
      for (const auto& [key, held] : process.locks)
        if (held.requested > failed || held.acquired != 0)
          add_violation(held.location, held.time,
                        "a lock of the window " + std::to_string(key.first) + " is never released");
    }
  }

 private:
  struct Operation {
    std::uint64_t location = 0, time = 0;
    bool is_complete_here = false;
  };
  struct Lock {
    int requested = 0, acquired = 0;
    std::uint64_t location = 0, time = 0;
  };
  struct Process {
    NumberMap<int> windows;
    std::map<std::uint64_t, Operation> operations;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Lock> locks;  ///< by window and rank
  };

  static std::size_t window_at(EventKind k) {
    return k == EventKind::rma_collective_end ? 2 : k == EventKind::rma_group_sync ? 1 : 0;
  }
  static std::uint64_t id_of(const EventView& e) {
    return e.field[e.kind == EventKind::rma_atomic                                ? 5
                   : e.kind == EventKind::rma_put || e.kind == EventKind::rma_get ? 3
                                                                                  : 1];
  }

  /// On windows of any paradigm: the begin does not name its window.
  void collective(const EventView& e) {
    unsigned& open = open_[e.location];
    if (e.kind == EventKind::rma_collective_begin) {
      if (open++ != 0) add_violation(e, "a collective operation on a window begins inside another");
    } else if (open != 0) {
      --open;
    } else {
      add_violation(e, "a collective operation on a window ends that did not begin");
    }
  }
  /// Operations of one matching id end together.
  void begin_operation(const EventView& e, Process& process) {
    const std::uint64_t id = id_of(e);
    if (process.windows[e.field[0]] != 1)
      add_violation(
          e, "an operation on the window " + std::to_string(e.field[0]) + " before it was made or after it ended");
    if (e.field[1] >= ranks_of(e.field[0]))
      add_violation(e, "the remote rank " + std::to_string(e.field[1]) + " is not in the window's communicator");
    process.operations.insert_or_assign(id, Operation{e.location, e.time, false});
  }
  void end_operation(const EventView& e, Process& process) {
    const std::uint64_t id = id_of(e);
    const auto found = process.operations.find(id);
    if (found == process.operations.end() && c_.is_opened()) return;  // it may have begun before the part
    if (found == process.operations.end()) return add_violation(e, "there is no operation " + std::to_string(id));
    if (e.kind == EventKind::rma_op_complete_non_blocking) {
      if (found->second.is_complete_here)
        add_violation(e, "the operation " + std::to_string(id) + " is complete here already");
      found->second.is_complete_here = true;
    } else if (e.kind != EventKind::rma_op_test) {
      process.operations.erase(found);
    }
  }
  /// A release follows the acquisition, or the request where no acquisition is recorded (Score-P records none).
  void lock(const EventView& e, Lock& lock) {
    lock.location = e.location;
    lock.time = e.time;
    if (e.kind == EventKind::rma_request_lock) {
      ++lock.requested;
    } else if (e.kind == EventKind::rma_acquire_lock) {
      if (!take_one(lock.requested) && !c_.is_opened()) add_violation(e, "a lock is acquired that was not asked for");
      ++lock.acquired;
    } else if (!take_one(lock.acquired) && !take_one(lock.requested) && !c_.is_opened()) {
      add_violation(e, "a lock is released that is not held");
    }
  }
  static bool take_one(int& count) {
    if (count == 0) return false;
    --count;
    return true;
  }
  std::uint64_t ranks_of(std::uint64_t window) const {
    const auto* comm = d().comms.find(d().windows.find(window)->comm);
    const auto* group = d().groups.find(comm->group);
    return group->type == v::group_comm_self ? 1 : group->members.size();
  }

  NumberMap<unsigned> open_;  ///< collective operations, by location
  std::map<std::uint32_t, Process> processes_;
};

}  // namespace

std::span<const RuleEntry> one_sided_rules() {
  static constexpr std::array table{
      RuleEntry{{"E29", "one-sided operations of MPI complete; windows and their locks begin and end in pairs"},
                make_rule<OneSided>},
  };
  return table;
}

}  // namespace tracer::check
