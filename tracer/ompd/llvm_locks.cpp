// SPDX-License-Identifier: BSD-3-Clause
// libomp's queuing lock: the default for locks and critical sections on x86-64 and AArch64.
#include "tracer/ompd/llvm_locks.hpp"

#include "tracer/ompd/target/target.hpp"

namespace tracer::ompd {
namespace {

/// The begin of kmp_base_queuing_lock, the same in libomp 14-22.
struct QueuingLock {
  std::uint64_t self;  ///< points to the lock itself while it is initialised
  std::uint64_t location;
  std::int32_t tail, head;
  std::uint32_t next_ticket, now_serving;
  std::int32_t owner;  ///< number + 1; kept for nested locks and with KMP_CONSISTENCY_CHECK
  std::int32_t depth;
};

}  // namespace

LockOwner lock_owner(const Target& target, std::uint64_t lock) {
  if (lock == 0) return {};
  const auto found = target.value<QueuingLock>(lock);
  if (!found || found->self != lock) return {};
  return {true, found->owner > 0 ? found->owner - 1 : -1};
}

}  // namespace tracer::ompd
