// SPDX-License-Identifier: BSD-3-Clause
// Work that needs more stack than the calling thread may have.
#pragma once

#include <cstddef>
#include <functional>

namespace tracer {

/// Runs `work`, which must not throw, on a thread of `bytes` of stack that gets no signals, and waits for its end. The
/// caller keeps what it holds, but may hold no lock that the work takes; the loader's is looked after. False when no
/// such thread is to be had: then the work was not begun.
bool run_on_own_stack(std::size_t bytes, const std::function<void()>& work) noexcept;

/// For pthread_attr_setstacksize: a thread's stack also has the thread-local variables of the program and its
/// libraries.
std::size_t stack_beside_variables(std::size_t bytes) noexcept;

/// What the calling thread has left of its stack, or of the alternate stack of a signal that it is on. 0 unknown.
std::size_t stack_left() noexcept;

}  // namespace tracer
