// SPDX-License-Identifier: BSD-3-Clause
// The three functions that oneTBB's containers want of libtbb, so that no libtbb enters the traced process.
#include <cstdlib>
#include <new>

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/detail/_exception.h>

namespace tbb::detail::r1 {

/// The containers call it for lengths and indices out of range and for memory: all end as failed allocations here.
void throw_exception(d0::exception_id) {
  throw std::bad_alloc();
}

void* cache_aligned_allocate(std::size_t size) {
  constexpr std::size_t line = 128;  // two of 64 bytes: adjacent lines are fetched together
  void* memory = std::aligned_alloc(line, (size + line - 1) & ~(line - 1));
  if (!memory) throw std::bad_alloc();
  return memory;
}

void cache_aligned_deallocate(void* memory) {
  std::free(memory);
}

}  // namespace tbb::detail::r1
