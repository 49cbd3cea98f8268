// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP runtime's answer about the calling thread, at any point of its execution, as in a signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracer {

/// Position of the runtime's frames on the thread's stack around a task: ompt_frame_t.
struct TaskFrames {
  std::uint64_t exit = 0;   ///< in the frame that called the task's code; 0: none
  std::uint64_t enter = 0;  ///< in the frame by which the task's code entered the runtime; 0: it is not in the runtime
  bool exit_is_user = false;   ///< `exit` is in a frame of the program; its callers belong to the runtime
  bool enter_is_user = false;  ///< likewise; its callees belong to the runtime
};

struct AskedRuntime {
  static constexpr std::size_t most_tasks = 16;
  std::uint64_t state = 0;    ///< ompt_state_t
  std::uint64_t wait_id = 0;  ///< ompt_wait_id_t; 0 none
  std::size_t tasks = 0;
  TaskFrames frames[most_tasks];  ///< of the current task, then of the tasks suspended below it
};

/// Fills `asked`; false if the runtime must not be called. Async-signal-safe.
using AskRuntime = bool (*)(AskedRuntime& asked) noexcept;

}  // namespace tracer
