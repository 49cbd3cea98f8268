// SPDX-License-Identifier: BSD-3-Clause
// The open calls of each thread, as ranges of the trace.
#pragma once

#include <cstdint>

#include "tracer/front_end.h"
#include "tracer/python/interpreter.hpp"

namespace tracer::python {

/// The interpreter, and where calls are recorded: set before the first call, in a thread that runs Python.
extern const Interpreter* python;
extern const tracer_front_end* tracer;

/// On the thread itself. `name`: of functions.hpp, not 0.
void enter(std::uint32_t name) noexcept;
/// Of a function that was there before us, nothing. Stacks of greenlets alternate: what is above the function that
/// returns belongs to another, is left with it, and is counted.
void leave(std::uint32_t name) noexcept;
bool has_open_calls() noexcept;
void leave_all() noexcept;
/// In a forked child: its trace has none of the calls that its parent made.
void forget_calls() noexcept;

}  // namespace tracer::python
