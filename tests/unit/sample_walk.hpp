// SPDX-License-Identifier: BSD-3-Clause
// Walks from a context outwards, as a handler does it.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/sample/frame_tables.hpp"
#include "tracer/sample/stack_walk.hpp"
#include "tracer/sample/unwind.hpp"

namespace tracer::sample {

/// Where the frames around `context` are in their code, the innermost first. `leave` goes out of one that has no table.
template <class Leave>
std::vector<std::uint64_t> frames_around(ucontext_t& context, Leave leave) {
  constexpr std::size_t most = 64;
  FrameState frame = interrupted_frame(&context);
  const StackBounds bounds = own_stack_bounds();
  std::vector<std::uint64_t> walked;
  const auto go_out = [&] {
    const StackBounds above{frame.stack(), bounds.high};
    return unwind(frame, above) || leave(frame, above);
  };
  while (walked.size() < most && go_out()) walked.push_back(frame.code);
  return walked;
}

}  // namespace tracer::sample
