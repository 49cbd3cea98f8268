// SPDX-License-Identifier: BSD-3-Clause
// See runtime_state.hpp.
#include "tracer/ompt/runtime_state.hpp"

#include "tracer/ompt/context.hpp"

namespace tracer::ompt {
namespace {

constinit thread_local bool may_ask __attribute__((tls_model("initial-exec"))) = false;

/// An address of the frame itself: the canonical frame address is the first behind it.
std::uint64_t inside(const ompt_data_t& address, int flags) noexcept {
  constexpr int what_address = 0x30;
  const auto value = reinterpret_cast<std::uint64_t>(address.ptr);
  return value != 0 && (flags & what_address) == ompt_frame_cfa ? value - 1 : value;
}

TaskFrames frames_of(const ompt_frame_t& frame) noexcept {
  TaskFrames frames;
  frames.exit = inside(frame.exit_frame, frame.exit_frame_flags);
  frames.enter = inside(frame.enter_frame, frame.enter_frame_flags);
  frames.exit_is_user = (frame.exit_frame_flags & ompt_frame_application) != 0;
  frames.enter_is_user = (frame.enter_frame_flags & ompt_frame_application) != 0;
  return frames;
}

}  // namespace

void set_thread_may_ask(bool may) noexcept {
  may_ask = may;
}

bool query_runtime(AskedRuntime& asked) noexcept {
  const EntryPoints& runtime = context().entry_points;
  if (!may_ask || runtime.get_state == nullptr) return false;
  ompt_wait_id_t wait = 0;
  asked.state = static_cast<std::uint64_t>(runtime.get_state(&wait));
  asked.wait_id = wait;
  asked.tasks = 0;
  while (runtime.get_task_info != nullptr && asked.tasks < AskedRuntime::most_tasks) {
    ompt_frame_t* frame = nullptr;
    const auto level = static_cast<int>(asked.tasks);
    // 0 no such task, 1 there is one without data (now), 2 with data
    if (runtime.get_task_info(level, nullptr, nullptr, &frame, nullptr, nullptr) != 2 || frame == nullptr) break;
    asked.frames[asked.tasks++] = frames_of(*frame);
  }
  return true;
}

}  // namespace tracer::ompt
