// SPDX-License-Identifier: BSD-3-Clause
// See processors.hpp.
#include "tracer/base/processors.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>

namespace tracer {
namespace {

/// Of 8192 processors; glibc's cpu_set_t ends at 1024.
struct Mask {
  unsigned long words[128] = {};
};

Mask remembered;
std::atomic<bool> is_remembered{false};

bool read_mask(Mask& mask) noexcept {
  return ::syscall(SYS_sched_getaffinity, 0, sizeof mask.words, mask.words) > 0;
}

}  // namespace

void remember_processors() noexcept {
  if (is_remembered.load(std::memory_order_acquire) || !read_mask(remembered)) return;
  is_remembered.store(true, std::memory_order_release);
}

unsigned usable_processors() noexcept {
  Mask mask;
  if (is_remembered.load(std::memory_order_acquire)) {
    mask = remembered;
  } else {
    read_mask(mask);
  }
  unsigned count = 0;
  for (const unsigned long word : mask.words) count += static_cast<unsigned>(std::popcount(word));
  return std::max(count, 1u);
}

void run_on_usable_processors() noexcept {
  if (is_remembered.load(std::memory_order_acquire))
    ::syscall(SYS_sched_setaffinity, 0, sizeof remembered.words, remembered.words);
}

}  // namespace tracer
