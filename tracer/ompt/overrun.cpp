// SPDX-License-Identifier: BSD-3-Clause
// See overrun.hpp.
#include "tracer/ompt/overrun.hpp"

#include <cstddef>
#include <cstdint>

namespace tracer::ompt {
namespace {

/// In front of each block of a thread's pool (libomp's bget); blocks follow each other, the last is never free.
struct BlockHead {
  const void* thread;        ///< whose pool it is
  std::int64_t free_before;  ///< size of the block before this one where that is free, else 0
  std::int64_t size;         ///< with this head; negative: in use
  std::int64_t unused;       ///< blocks stand at multiples of 16
};

}  // namespace

bool mend_overrun(const ompt_dependence_t* deps, int ndeps) noexcept {
  if (deps == nullptr || ndeps <= 0) return false;
  const auto bytes = static_cast<std::int64_t>(sizeof(BlockHead) + static_cast<std::size_t>(ndeps) * sizeof *deps);
  const auto* own = reinterpret_cast<const BlockHead*>(deps) - 1;
  if (own->thread == nullptr || own->size != -bytes) return false;  // a larger block has room for what is written
  auto* next = reinterpret_cast<BlockHead*>(reinterpret_cast<std::uintptr_t>(own) + static_cast<std::uintptr_t>(bytes));
  if (next->thread != own->thread) return false;
  if (next->free_before != ompt_dependence_type_mutexinoutset) return false;  // no block is that small
  next->free_before = 0;
  return true;
}

}  // namespace tracer::ompt
