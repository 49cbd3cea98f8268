// SPDX-License-Identifier: BSD-3-Clause
// See perf_counters.hpp.
#include "tracer/sample/perf_counters.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "tracer/base/files/file.hpp"

namespace tracer::sample {
namespace {

/// What read(2) gives of a leader with PERF_FORMAT_GROUP and both times.
struct GroupRead {
  std::uint64_t count, enabled, running, values[most_counters + 1];
};

/// Whether the group is on the processor: one that does not fit never gets there, and the kernel finds that late. True
/// where it cannot be known.
bool is_running(int leader) noexcept {
  GroupRead first{}, second{};
  if (::read(leader, &first, sizeof first) <= 0) return true;
  for (int i = 0; i < 1000 && second.enabled <= first.enabled; ++i)
    if (::read(leader, &second, sizeof second) <= 0) return true;
  return second.enabled <= first.enabled || second.running > first.running;
}

std::size_t page_bytes() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

int open_event(perf_event_attr& attributes, int leader) noexcept {
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

/// 0 or the errno.
int PerfCounters::add(int leader, CounterId id) noexcept {
  const CounterKind& kind = counters()[id];
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = kind.type;
  attributes.config = kind.config;
  attributes.exclude_kernel = !kind.kernel_too;
  attributes.exclude_hv = 1;
  attributes.use_clockid = 1;  // as the leader's: groups have one clock
  attributes.clockid = CLOCK_MONOTONIC;
  const UniqueFd event{open_event(attributes, leader)};
  if (!event) return errno;
  void* page = ::mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, event.get(), 0);
  if (page == MAP_FAILED) return errno == EPERM ? ENOBUFS : errno;  // it forbids no event, only more locked memory
  ids_[count_] = id;
  pages_[count_++] = page;
  return 0;
}

void PerfCounters::drop_last() noexcept {
  ::munmap(pages_[--count_], page_bytes());
}

void PerfCounters::open(int leader, std::span<const CounterId> wanted) noexcept {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    errors_[i] = add(leader, wanted[i]);
    if (errors_[i] != 0 || !counters()[wanted[i]].is_hardware() || is_running(leader)) continue;
    drop_last();
    errors_[i] = ENOSPC;
  }
}

void PerfCounters::close() noexcept {
  while (count_ != 0) drop_last();
}

}  // namespace tracer::sample
