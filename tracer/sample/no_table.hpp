// SPDX-License-Identifier: BSD-3-Clause
// One step up a call stack from code without an unwind table: of compilers at run time (numba, node, Julia) and in
// assembly (OpenBLAS). Either frame pointers lead out of it, or the stack is searched for the address to which it
// returns.
//
// Words of a stack that look like return addresses may be left from calls that are over. One counts if it lies behind a
// call, in code with a table, and if the tables lead on from there: to the outermost function, or for some frames.
#pragma once

#include <cstdint>

#include "tracer/sample/unwind.hpp"

namespace tracer::sample {

/// Of one walk up a stack; async-signal-safe.
class CodeWithoutTable {
 public:
  /// The frame around `frame` in its place. False, and nothing done, where `frame` has a table or nothing leads on.
  bool leave(FrameState& frame, const StackBounds& bounds) noexcept;

 private:
  bool leads_out(FrameState frame, const StackBounds& bounds) noexcept;
  bool follow_frame_pointer(FrameState& frame, const StackBounds& bounds) noexcept;
  bool search(FrameState& frame, const StackBounds& bounds) noexcept;
  bool leave_once(FrameState& frame, const StackBounds& bounds) noexcept;

  unsigned gaps_ = 0, chains_ = 0;
  std::uint64_t sure_below_ = 0;  ///< frame pointers are right up to here
};

}  // namespace tracer::sample
