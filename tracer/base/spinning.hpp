// SPDX-License-Identifier: BSD-3-Clause
// How a thread waits for what another one holds for a few instructions. Of use before main(): needs the C library only.
#pragma once

#include <sched.h>
#include <time.h>

#include <cerrno>

namespace tracer {

/// Between two looks; `turn` counts them. It sleeps in the end: under real-time scheduling a thread that only gives its
/// processor to those of its own priority would keep it for ever from one of a lower priority that holds what it waits
/// for. errno is kept.
inline void take_turn(unsigned turn) noexcept {
  constexpr unsigned looks = 100, yields = 200;
  constexpr timespec moment{0, 20'000};
  if (turn < looks) return;
  const int kept_errno = errno;
  if (turn < yields)
    ::sched_yield();
  else
    ::nanosleep(&moment, nullptr);
  errno = kept_errno;
}

}  // namespace tracer
