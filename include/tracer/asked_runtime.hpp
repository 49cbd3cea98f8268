// SPDX-License-Identifier: BSD-3-Clause
// What an OpenMP runtime answers about the calling thread in the middle of anything, as in a signal's handler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracer {

/// Where the runtime stands on the thread's stack around a task: ompt_frame_t.
struct TaskFrames {
  std::uint64_t exit = 0;      ///< in the frame that began the task's code; 0 there is none
  std::uint64_t enter = 0;     ///< in the frame that the task's code entered the runtime by; 0 it is not in the runtime
  bool exit_is_user = false;   ///< `exit` lies in a frame of the program's, what is around that is the runtime's
  bool enter_is_user = false;  ///< likewise; what is inside of it is the runtime's
};

struct AskedRuntime {
  static constexpr std::size_t most_tasks = 16;
  std::uint64_t state = 0;    ///< ompt_state_t
  std::uint64_t wait_id = 0;  ///< ompt_wait_id_t; 0 none
  std::size_t tasks = 0;
  TaskFrames frames[most_tasks];  ///< the current task's first, then those that it was scheduled on top of
};

/// Fills `asked`; false when the runtime may not be asked. Async-signal-safe.
using AskRuntime = bool (*)(AskedRuntime& asked) noexcept;

}  // namespace tracer
