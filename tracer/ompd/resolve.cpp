// SPDX-License-Identifier: BSD-3-Clause
// Turns addresses into source positions and call stacks into what a thread is busy with.
#include <omp-tools.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <iterator>
#include <map>
#include <string_view>

#include "tracer/base/formatted.hpp"
#include "tracer/base/outlined_names.hpp"
#include "tracer/ompd/snapshot.hpp"

namespace tracer::ompd {
namespace {

struct EntryPoint {
  std::string_view prefix;
  Activity activity;
};

/// Functions of LLVM's runtime in which a thread waits, also the ones that GCC's code calls. A prefix
/// takes the variants along (_with_hint, _51, Fortran's trailing underscore).
constexpr std::array entry_points = {
    EntryPoint{"__kmpc_barrier", Activity::barrier},
    EntryPoint{"__kmpc_cancel_barrier", Activity::barrier},
    EntryPoint{"GOMP_barrier", Activity::barrier},
    EntryPoint{"GOMP_loop_end", Activity::implicit_barrier},
    EntryPoint{"GOMP_sections_end", Activity::implicit_barrier},
    EntryPoint{"GOMP_parallel", Activity::implicit_barrier},
    EntryPoint{"__kmpc_reduce", Activity::implicit_barrier},
    EntryPoint{"__kmpc_end_reduce", Activity::implicit_barrier},
    EntryPoint{"__kmp_join_barrier", Activity::implicit_barrier},
    EntryPoint{"omp_set_lock", Activity::lock},
    EntryPoint{"__kmpc_set_lock", Activity::lock},
    EntryPoint{"omp_set_nest_lock", Activity::nest_lock},
    EntryPoint{"__kmpc_set_nest_lock", Activity::nest_lock},
    EntryPoint{"__kmpc_critical", Activity::critical},
    EntryPoint{"GOMP_critical", Activity::critical},
    EntryPoint{"__kmpc_ordered", Activity::ordered},
    EntryPoint{"GOMP_ordered", Activity::ordered},
    EntryPoint{"__kmpc_atomic", Activity::atomic},
    EntryPoint{"GOMP_atomic", Activity::atomic},
    EntryPoint{"__kmpc_omp_taskwait", Activity::taskwait},
    EntryPoint{"__kmpc_omp_wait_deps", Activity::taskwait},
    EntryPoint{"GOMP_taskwait", Activity::taskwait},
    EntryPoint{"__kmpc_end_taskgroup", Activity::taskgroup},
    EntryPoint{"GOMP_taskgroup_end", Activity::taskgroup},
    EntryPoint{"__tgt_", Activity::target},
};

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_runtime(const Position& frame) {
  const auto name = base_name(frame.module);
  return name.starts_with("libomp") || name.starts_with("libiomp") || name.starts_with("libgomp") ||
         frame.function.starts_with("__kmp") || frame.function.starts_with("GOMP_");
}

bool is_system(const Position& frame) {
  const auto name = base_name(frame.module);
  for (const std::string_view system :
       {"libc.so", "libc-", "libpthread", "ld-linux", "linux-vdso", "[vdso", "libm.so"}) {
    if (name.starts_with(system)) return true;
  }
  return false;
}

/// The runtime calls a region's or a task's body through these.
bool is_call_of_body(const Position& frame) {
  return frame.function.starts_with("__kmp_invoke_") || frame.function.starts_with("__kmp_GOMP_microtask");
}

/// The meaning of the innermost run of runtime frames: the entry point next to the program's code decides.
void read_stack(ThreadView& thread) {
  bool in_runtime = false;
  for (const Position& frame : thread.stack) {
    if (is_runtime(frame)) {
      in_runtime = true;
      if (is_call_of_body(frame)) {  // the body ended in a jump into the runtime: it has no frame
        if (!thread.tasks.empty()) thread.position = thread.tasks.front().function;
        break;
      }
      for (const EntryPoint& entry : entry_points) {
        if (frame.function.starts_with(entry.prefix)) thread.activity = entry.activity;
      }
      // A worker waits here between two regions.
      if (frame.function.starts_with("__kmp_launch_thread") && thread.activity == Activity::unknown)
        thread.activity = Activity::idle;
    } else if (!is_system(frame)) {
      thread.position = frame;
      break;
    }
  }
  if (thread.position && !in_runtime) thread.activity = Activity::working;
}

struct StateRow {
  std::int64_t state;
  Activity activity;
  const char* words;
};

/// Of an ompt_state_t; nullptr: another one.
const StateRow* row_of(std::int64_t state) noexcept {
  using enum Activity;
  // clang-format off
  static constexpr StateRow rows[] = {
      {ompt_state_work_serial, working, "working outside of parallel regions"},
      {ompt_state_work_parallel, working, "working in a parallel region"},
      {ompt_state_work_reduction, working, "reducing"},
      {ompt_state_wait_barrier, implicit_barrier, "waiting at an implicit barrier"},
      {ompt_state_wait_barrier_implicit, implicit_barrier, "waiting at an implicit barrier"},
      {ompt_state_wait_barrier_implicit_parallel, implicit_barrier, "waiting at the barrier that ends a parallel region"},
      {ompt_state_wait_barrier_implicit_workshare, implicit_barrier, "waiting at the barrier that ends a worksharing construct"},
      {ompt_state_wait_barrier_explicit, barrier, "waiting at an explicit barrier"},
      {ompt_state_wait_barrier_implementation, implicit_barrier, "waiting at a barrier of the runtime's own"},
      {ompt_state_wait_barrier_teams, implicit_barrier, "waiting at the barrier that ends a teams region"},
      {ompt_state_wait_taskwait, taskwait, "waiting for child tasks"},
      {ompt_state_wait_taskgroup, taskgroup, "waiting for a taskgroup"},
      {ompt_state_wait_mutex, lock, "waiting for a mutex"},
      {ompt_state_wait_lock, lock, "waiting for a lock"},
      {ompt_state_wait_critical, critical, "waiting for a critical section"},
      {ompt_state_wait_atomic, atomic, "waiting for an atomic region"},
      {ompt_state_wait_ordered, ordered, "waiting for an ordered region"},
      {ompt_state_wait_target, target, "waiting for a target region"},
      {ompt_state_wait_target_map, target, "waiting for a target mapping"},
      {ompt_state_wait_target_update, target, "waiting for a target update"},
      {ompt_state_idle, idle, "idle"},
      {ompt_state_overhead, runtime, "in the runtime"},
      {ompt_state_undefined, unknown, "undefined"},
  };
  // clang-format on
  const auto* found =
      std::find_if(std::begin(rows), std::end(rows), [=](const auto& row) { return row.state == state; });
  return found != std::end(rows) ? found : nullptr;
}

void join_with_state(ThreadView& thread) {
  if (!thread.state) return;
  const StateRow* const row = row_of(*thread.state);
  const Activity activity = row != nullptr ? row->activity : Activity::unknown;
  // The stack does not distinguish a loop's closing barrier from an explicit one; the state of a waiting lock
  // may be of a critical section (libomp 14-22), so the stack goes first otherwise.
  if (thread.activity == Activity::unknown ||
      (thread.activity == Activity::barrier && activity == Activity::implicit_barrier))
    thread.activity = activity;
}

/// Without OMPD a thread is one of OpenMP's when the runtime is on its stack; they are numbered as they come.
void number_by_stack(const Snapshot& snapshot, ThreadView& thread) {
  const bool openmp = std::any_of(thread.stack.begin(), thread.stack.end(), is_runtime);
  if (!openmp) {
    thread.activity = Activity::no_openmp;
    return;
  }
  thread.number = 0;
  for (const ThreadView& other : snapshot.threads) {
    if (&other != &thread && other.number >= thread.number) thread.number = other.number + 1;
  }
}

class Resolver {
 public:
  explicit Resolver(const CallStacks* stacks) : stacks_(stacks) {}
  void operator()(Position& position) {
    if (stacks_ == nullptr) return;
    const auto [known, is_new] = known_.try_emplace(position.address);
    if (is_new) known->second = stacks_->position(position.address);
    position = known->second;
  }
  void operator()(std::optional<Position>& position) {
    if (position) (*this)(*position);
  }

 private:
  const CallStacks* stacks_;
  std::map<std::uint64_t, Position> known_;
};

}  // namespace

void resolve(Snapshot& snapshot, const CallStacks* stacks) {
  Resolver resolver{stacks};
  for (ThreadView& thread : snapshot.threads) {
    for (Position& frame : thread.stack) resolver(frame);
    for (RegionView& region : thread.regions) resolver(region.function);
    for (TaskView& task : thread.tasks) resolver(task.function);
    const bool openmp = thread.activity != Activity::no_openmp;
    read_stack(thread);
    if (snapshot.only_stacks)
      number_by_stack(snapshot, thread);
    else if (openmp)
      join_with_state(thread);
    else
      thread.activity = Activity::no_openmp;
  }
}

const char* words(Activity activity) noexcept {
  static constexpr std::array in_order = {"is busy with something unknown",
                                          "works",
                                          "waits at a barrier",
                                          "waits at an implicit barrier",
                                          "waits for a lock",
                                          "waits for a nestable lock",
                                          "waits for a critical section",
                                          "waits for its turn in an ordered region",
                                          "waits for an atomic operation",
                                          "waits for child tasks (taskwait)",
                                          "waits for the tasks of a taskgroup",
                                          "waits for a device",
                                          "is inside the OpenMP runtime",
                                          "is idle, without a team",
                                          "is no OpenMP thread"};
  static_assert(in_order.size() == static_cast<std::size_t>(Activity::no_openmp) + 1);
  return in_order[static_cast<std::size_t>(activity)];
}

std::string state_words(std::int64_t state) {
  const StateRow* const row = row_of(state);
  return row != nullptr ? row->words : "";
}

std::string text_of(const Position& position) {
  std::string text = position.file.empty()
                         ? formatted("0x%" PRIx64, position.address)
                         : std::string{base_name(position.file)} + ":" + std::to_string(position.line);
  // What is demangled has it as "run(int) [clone ._omp_fn.0]".
  const std::string_view whole{position.function};
  const std::string name{without_clones(without_outlining(whole.substr(0, whole.find(" [clone "))))};
  if (!name.empty()) text += " (" + name + ")";
  return text;
}

}  // namespace tracer::ompd
