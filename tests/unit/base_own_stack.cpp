// SPDX-License-Identifier: BSD-3-Clause
// Threads of Tracer's own in a program whose thread-local variables are larger than their stacks.
#include "catch.hpp"

#include <pthread.h>

#include <cstddef>

#include "tracer/base/own_stack.hpp"

using namespace tracer;

namespace {

constexpr std::size_t large = 3 << 20, asked = 64 << 10;
thread_local volatile char variables[large];

}  // namespace

TEST_CASE("a thread has the stack that was asked for beside the program's thread-local variables") {
  std::size_t left = 0;
  variables[0] = 1;
  REQUIRE(run_on_own_stack(asked, [&left] {
    variables[large - 1] = 1;
    left = stack_left();
  }));
  // stack_left() counts from the stack's lowest address, and the variables are above the frames.
  CHECK(left >= asked);
  CHECK(left < asked + large);
}
