// SPDX-License-Identifier: BSD-3-Clause
// Where Python's trampolines lie (PYTHONPERFSUPPORT): some bytes of code for each Python function, through which the
// interpreter calls itself. No unwind table describes them.
#pragma once

#include <cstdint>
#include <string_view>

#include "tracer/sample/unwind.hpp"

namespace tracer::sample {

class Trampolines {
 public:
  /// Takes in lines of a perf map: those of Python's functions. One thread; never in a handler.
  void add(std::string_view lines) noexcept;
};

/// From a trampoline to the interpreter's function that called it, in place of `frame`. False, and nothing done, where
/// the frame is no trampoline's. Async-signal-safe: reads code only where a map of this process contains
/// some, which Python never frees before its end.
bool leave_trampoline(FrameState& frame, const StackBounds& bounds) noexcept;

}  // namespace tracer::sample
