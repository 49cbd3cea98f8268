// SPDX-License-Identifier: BSD-3-Clause
// Where a task was created if the runtime does not report it.
#pragma once

#include <cstdint>

#include "omp-tools.h"

namespace tracer::ompt {

/// The return address in the runtime's frame that the program's task has entered, or nullptr. libomp (19 and others,
/// some of 100,000 tasks beside other threads) reports a task's creation without its codeptr_ra; it is the return
/// address of the function whose frame pointer is `enter_frame` (ompt_frame_t, OpenMP 5.2). `here`:
/// __builtin_frame_address(0) of the callback, which that function calls. Frames of programs, and what is no near frame
/// of this stack, are not read.
inline const void* code_of_frame(const ompt_frame_t* frame, const void* here) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  constexpr std::uintptr_t near = 4096;  // bytes
  if (frame == nullptr || frame->enter_frame_flags != (ompt_frame_runtime | ompt_frame_framepointer)) return nullptr;
  const auto from = reinterpret_cast<std::uintptr_t>(here),
             pointer = reinterpret_cast<std::uintptr_t>(frame->enter_frame.ptr);
  if (pointer <= from || pointer - from > near || pointer % alignof(void*) != 0) return nullptr;
  return static_cast<void* const*>(frame->enter_frame.ptr)[1];  // behind the caller's frame pointer
#else
  return nullptr;
#endif
}

}  // namespace tracer::ompt
