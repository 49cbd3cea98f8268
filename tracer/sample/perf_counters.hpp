// SPDX-License-Identifier: BSD-3-Clause
// Counters that the kernel reads with each sample of a thread: members of the sampling event's group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tracer/base/counters.hpp"

struct perf_event_attr;

namespace tracer::sample {

/// perf_event_open(2) as the C library has no function for it, on the calling thread. A descriptor, or -1 and errno.
int open_event(perf_event_attr& attributes, int leader) noexcept;

class PerfCounters {
 public:
  PerfCounters() = default;
  PerfCounters(const PerfCounters&) = delete;
  PerfCounters& operator=(const PerfCounters&) = delete;
  ~PerfCounters() { close(); }

  /// On the calling thread, joining `leader`, whose samples are to have PERF_SAMPLE_READ. What the system denies is
  /// left out, what the processor has no room for at the same time too: else the leader would not run either. No
  /// descriptor is kept.
  void open(int leader, std::span<const CounterId> wanted) noexcept;
  void close() noexcept;
  /// Those that count, in the order in which the kernel reads them behind the leader.
  std::span<const CounterId> ids() const noexcept { return {ids_.data(), count_}; }
  /// 0, or the errno with which the `index`-th of the wanted was denied; ENOSPC: there was no room; ENOBUFS: there was
  /// no more locked memory.
  int error(std::size_t index) const noexcept { return errors_[index]; }

 private:
  int add(int leader, CounterId id) noexcept;
  void drop_last() noexcept;

  std::size_t count_ = 0;
  std::array<CounterId, most_counters> ids_{};
  std::array<void*, most_counters> pages_{};  ///< which hold the events
  std::array<int, most_counters> errors_{};
};

}  // namespace tracer::sample
