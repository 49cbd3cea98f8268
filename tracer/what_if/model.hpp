// SPDX-License-Identifier: BSD-3-Clause
// An execution of a parallel region as lists of operations - work, loops, locks, tasks, barriers - and its simulation
// on any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// `run`: an undeferred task, at once; `create`: any other, which whoever is free runs.
enum class Do : std::uint8_t { work, create, run, wait, barrier, loop, single, lock };

struct Op {
  Do what = Do::work;
  std::uint32_t index = 0;  ///< of the task, loop, single, or lock
  std::uint64_t ns = 0;     ///< of work, or under the lock
};
using Ops = std::vector<Op>;

struct Held {
  std::uint32_t lock;
  std::uint64_t ns;
};

struct Chunk {
  std::uint64_t begin = 0, ns = 0;  ///< on the trace's clock; of work
};

/// One execution of a worksharing loop (or sections) by a team.
struct Loop {
  RegionRef region = undefined_ref;
  std::vector<std::uint64_t> by_rank;  ///< work of each recorded thread
  std::vector<Held> locks;
  bool is_static = true, is_sections = false;
  std::uint64_t iterations = 0;  ///< or sections: parts that nobody shares; 0: unknown, as many as one likes
  /// What cannot be split, of loops that are not static, in the order in which it was begun: chunks that were recorded,
  /// else what each thread did after the first had found nothing left; of sections all that each thread did.
  std::vector<Chunk> chunks;
  std::vector<std::uint64_t> left;  ///< when each recorded thread left it; 0: unknown
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t ns : by_rank) sum += ns;
    return sum;
  }
  /// How many of `n` threads get something to do.
  std::uint32_t workers(std::uint32_t n) const {
    return iterations != 0 && iterations < n ? static_cast<std::uint32_t>(iterations) : n;
  }
};

struct Single {
  Ops ops;  ///< of whoever executed it
};

struct TaskModel {
  Ops ops;
  std::vector<std::uint32_t> after;
};

/// One execution of a parallel region. The first `size` tasks are the implicit ones.
struct RegionModel {
  RegionRef region = undefined_ref;
  std::uint32_t size = 0;
  std::vector<TaskModel> tasks;
  std::vector<Loop> loops;
  std::vector<Single> singles;
};

/// What is different from the run that was recorded.
struct Conditions {
  std::uint32_t threads = 0;        ///< 0: as recorded
  std::vector<bool> balanced;       ///< by region
  std::vector<bool> without;        ///< by lock: nobody waits for it
  std::uint64_t task_overhead = 0;  ///< ns that each task takes beside its work and its creation
};

/// The chunks of loops and sections in which none were recorded.
void infer_chunks(RegionModel& model);

/// ns from the region's start to the end of its last thread.
std::uint64_t simulate(const RegionModel& model, const Conditions& conditions);

}  // namespace tracer::report
