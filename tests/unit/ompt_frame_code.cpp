// SPDX-License-Identifier: BSD-3-Clause
// Where a task was created if the runtime does not report it: frames as libomp describes them.
#include "catch.hpp"

#include <cstddef>

#include "tracer/ompt/frame_code.hpp"

namespace {

using tracer::ompt::code_of_frame;

struct Seen {
  const void *expected, *found;
};

[[gnu::noinline]] const void* callback(const ompt_frame_t& frame) {
  const void* const found = code_of_frame(&frame, __builtin_frame_address(0));
  asm volatile("" ::: "memory");  // no call in the place of the return
  return found;
}

/// As __kmpc_omp_task does before it calls a tool.
[[gnu::noinline]] Seen create(int flags, std::ptrdiff_t away) {
  ompt_frame_t frame{};
  frame.enter_frame.ptr = static_cast<char*>(__builtin_frame_address(0)) + away;
  frame.enter_frame_flags = flags;
  Seen seen{__builtin_return_address(0), callback(frame)};
  asm volatile("" ::: "memory");
  return seen;
}

}  // namespace

TEST_CASE("the code that creates a task is the return address in the runtime's frame") {
  const Seen seen = create(ompt_frame_runtime | ompt_frame_framepointer, 0);
  CHECK(seen.found != nullptr);
  CHECK(seen.found == seen.expected);
}

TEST_CASE("no frame is read but one of the runtime's, near on this stack") {
  CHECK(create(ompt_frame_application | ompt_frame_framepointer, 0).found == nullptr);
  CHECK(create(ompt_frame_runtime | ompt_frame_cfa, 0).found == nullptr);
  for (const std::ptrdiff_t away :
       {std::ptrdiff_t{1}, std::ptrdiff_t{-4096}, std::ptrdiff_t{1} << 20, std::ptrdiff_t{1} << 50})
    CHECK(create(ompt_frame_runtime | ompt_frame_framepointer, away).found == nullptr);
  CHECK(code_of_frame(nullptr, __builtin_frame_address(0)) == nullptr);
}
