// SPDX-License-Identifier: BSD-3-Clause
// Runs independent pieces of work on a few threads; the first exception ends it and is rethrown.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace tracer::translate {

/// Calls body(0) ... body(count - 1), in any order, by up to `threads` threads, the caller one of
/// them. Threads that cannot be started are done without. They block all signals, so that none of
/// the traced program's handlers runs on them.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body);

/// `wanted`, or, where that is 0, as many as this process may use. More than 8, and the disk is what they wait for.
unsigned threads_to_use(unsigned wanted) noexcept;

/// Starts one such thread, on all processors that the process may use.
bool start_helper(pthread_t& thread, void* (*run)(void*), void* argument) noexcept;

}  // namespace tracer::translate
