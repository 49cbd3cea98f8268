// SPDX-License-Identifier: BSD-3-Clause
// Who holds a lock: OMPD does not provide it, LLVM's lock objects sometimes do.
#pragma once

#include <cstdint>

namespace tracer::ompd {

class Target;

struct LockOwner {
  bool known = false;       ///< it is a lock object whose layout is known
  std::int64_t owner = -1;  ///< global number of the thread, -1: the lock does not contain it
};

/// `lock`: the wait id of a thread in state wait_lock (libomp 14-22: the address of its queuing lock).
LockOwner lock_owner(const Target& target, std::uint64_t lock);

}  // namespace tracer::ompd
