// SPDX-License-Identifier: BSD-3-Clause
// Queries the calling thread's state and its tasks' frames from the runtime, in a signal's handler.
#pragma once

#include "tracer/asked_runtime.hpp"

namespace tracer::ompt {

/// An AskRuntime. The entry points that it calls are async signal safe (OpenMP 5.2, 19.6: "ompt_get_state",
/// "ompt_get_task_info"). Any thread.
bool query_runtime(AskedRuntime& asked) noexcept;

/// The calling thread's runtime has announced its end: libomp frees its tables after that, before it finalises the
/// tool.
void set_thread_may_ask(bool may) noexcept;

}  // namespace tracer::ompt
