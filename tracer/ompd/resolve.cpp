// SPDX-License-Identifier: BSD-3-Clause
// Turns addresses into source positions and call stacks into what a thread is busy with.
#include <omp-tools.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <string_view>

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

/// Without what compilers append to a region's or task's body.
std::string user_name(const std::string& function) {
  std::string name = function;
  for (const std::string_view mark : {".omp_outlined", "._omp_fn", ".omp_task_entry", ".omp."})
    name.resize(std::min(name.size(), name.find(mark)));
  return name;
}

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

Activity from_state(std::int64_t state) {
  switch (state) {
    case ompt_state_work_serial:
    case ompt_state_work_parallel:
    case ompt_state_work_reduction:
      return Activity::working;
    case ompt_state_wait_barrier_explicit:
      return Activity::barrier;
    case ompt_state_wait_barrier:
    case ompt_state_wait_barrier_implicit:
    case ompt_state_wait_barrier_implicit_parallel:
    case ompt_state_wait_barrier_implicit_workshare:
    case ompt_state_wait_barrier_implementation:
    case ompt_state_wait_barrier_teams:
      return Activity::implicit_barrier;
    case ompt_state_wait_taskwait:
      return Activity::taskwait;
    case ompt_state_wait_taskgroup:
      return Activity::taskgroup;
    case ompt_state_wait_mutex:
    case ompt_state_wait_lock:
      return Activity::lock;
    case ompt_state_wait_critical:
      return Activity::critical;
    case ompt_state_wait_atomic:
      return Activity::atomic;
    case ompt_state_wait_ordered:
      return Activity::ordered;
    case ompt_state_wait_target:
    case ompt_state_wait_target_map:
    case ompt_state_wait_target_update:
      return Activity::target;
    case ompt_state_idle:
      return Activity::idle;
    case ompt_state_overhead:
      return Activity::runtime;
    default:
      return Activity::unknown;
  }
}

void join_with_state(ThreadView& thread) {
  if (!thread.state) return;
  const Activity said = from_state(*thread.state);
  // The stack cannot tell a loop's closing barrier from an explicit one; the state of a waiting lock
  // may be of a critical section (libomp 14-22), so the stack goes first otherwise.
  if (thread.activity == Activity::unknown ||
      (thread.activity == Activity::barrier && said == Activity::implicit_barrier))
    thread.activity = said;
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
  switch (activity) {
    case Activity::unknown:
      return "is busy with something unknown";
    case Activity::working:
      return "works";
    case Activity::barrier:
      return "waits at a barrier";
    case Activity::implicit_barrier:
      return "waits at an implicit barrier";
    case Activity::lock:
      return "waits for a lock";
    case Activity::nest_lock:
      return "waits for a nestable lock";
    case Activity::critical:
      return "waits for a critical section";
    case Activity::ordered:
      return "waits for its turn in an ordered region";
    case Activity::atomic:
      return "waits for an atomic operation";
    case Activity::taskwait:
      return "waits for child tasks (taskwait)";
    case Activity::taskgroup:
      return "waits for the tasks of a taskgroup";
    case Activity::target:
      return "waits for a device";
    case Activity::runtime:
      return "is inside the OpenMP runtime";
    case Activity::idle:
      return "is idle, without a team";
    case Activity::no_openmp:
      return "is no OpenMP thread";
  }
  return "";
}

std::string state_words(std::int64_t state) {
  switch (state) {
    case ompt_state_work_serial:
      return "working outside of parallel regions";
    case ompt_state_work_parallel:
      return "working in a parallel region";
    case ompt_state_work_reduction:
      return "reducing";
    case ompt_state_wait_barrier:
    case ompt_state_wait_barrier_implicit:
      return "waiting at an implicit barrier";
    case ompt_state_wait_barrier_implicit_parallel:
      return "waiting at the barrier that ends a parallel region";
    case ompt_state_wait_barrier_implicit_workshare:
      return "waiting at the barrier that ends a worksharing construct";
    case ompt_state_wait_barrier_explicit:
      return "waiting at an explicit barrier";
    case ompt_state_wait_barrier_implementation:
      return "waiting at a barrier of the runtime's own";
    case ompt_state_wait_barrier_teams:
      return "waiting at the barrier that ends a teams region";
    case ompt_state_wait_taskwait:
      return "waiting for child tasks";
    case ompt_state_wait_taskgroup:
      return "waiting for a taskgroup";
    case ompt_state_wait_mutex:
      return "waiting for a mutex";
    case ompt_state_wait_lock:
      return "waiting for a lock";
    case ompt_state_wait_critical:
      return "waiting for a critical section";
    case ompt_state_wait_atomic:
      return "waiting for an atomic region";
    case ompt_state_wait_ordered:
      return "waiting for an ordered region";
    case ompt_state_wait_target:
      return "waiting for a target region";
    case ompt_state_wait_target_map:
      return "waiting for a target mapping";
    case ompt_state_wait_target_update:
      return "waiting for a target update";
    case ompt_state_idle:
      return "idle";
    case ompt_state_overhead:
      return "in the runtime";
    case ompt_state_undefined:
      return "undefined";
    default:
      return "";
  }
}

std::string text_of(const Position& position) {
  char address[32];
  std::snprintf(address, sizeof address, "0x%" PRIx64, position.address);
  std::string text =
      position.file.empty() ? address : std::string{base_name(position.file)} + ":" + std::to_string(position.line);
  const std::string name = user_name(position.function);
  if (!name.empty()) text += " (" + name + ")";
  return text;
}

}  // namespace tracer::ompd
