// SPDX-License-Identifier: BSD-3-Clause
// Which functions of the program are recorded, and under which name. The answer lies in the code object itself, where
// it goes away with it.
#pragma once

#include <cstdint>

#include "tracer/front_end.h"
#include "tracer/python/interpreter.hpp"

namespace tracer::python {

/// `chosen`: TRACER_PYTHON. Before the interpreter runs anything; `chosen` stays where it is.
void choose_functions(const char* chosen) noexcept;
/// Once, in a thread that runs Python. False: this interpreter does not let us.
bool begin_functions(const Interpreter& interpreter) noexcept;

/// The number of the name of the function that has this code and runs, 0: it is not recorded. In a thread that runs
/// Python.
std::uint32_t name_of(const Interpreter& interpreter, const tracer_front_end& tracer, Object* code) noexcept;

}  // namespace tracer::python
