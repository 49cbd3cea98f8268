// SPDX-License-Identifier: BSD-3-Clause
// What the kernel notes of one thread: the call chain of its code a thousand times in a second of its running, and
// when it stopped and went on running. Nothing happens in the thread itself; the notes lie in a ring that we read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "formats/raw/samples.hpp"
#include "tracer/sample/counter_totals.hpp"
#include "tracer/sample/perf_counters.hpp"
#include "tracer/sample/system_calls.hpp"

struct perf_event_mmap_page;

namespace tracer::sample {

struct PerfOptions {
  std::uint64_t period_ns = 0;        ///< of processor time between two samples; 0: no samples
  bool switches = false;              ///< note when the thread stops and goes on running
  std::vector<CounterId> counters{};  ///< to read with each sample; at most most_counters
  std::int64_t clock_offset_ns = 0;   ///< from the kernel's CLOCK_MONOTONIC to the process's
};

/// One event of perf_event_open(2) on one thread, and its ring.
class PerfThread {
 public:
  PerfThread() = default;
  PerfThread(const PerfThread&) = delete;
  PerfThread& operator=(const PerfThread&) = delete;
  ~PerfThread() { close(); }

  /// On the calling thread, from now on. 0, or the errno: EACCES and EPERM where the system forbids it, ENOENT and
  /// EOPNOTSUPP where there is no such thing, EMFILE and ENOMEM where there is no more room, ENOBUFS where there is no
  /// more locked memory for the ring.
  int open(const PerfOptions& options) noexcept;
  /// Of which counters are denied, nobody hears but from here.
  const PerfCounters& counters() const noexcept { return counters_; }
  /// The system lets this process not see what the kernel does for it: no sample is taken meanwhile.
  bool excludes_kernel() const noexcept { return excludes_kernel_; }
  /// Reads what is there. One thread at a time, any thread, also after the watched thread's end. The entries' channel
  /// is left 0.
  using Visit = std::function<void(const raw::SampleEntry&, std::span<const std::uint64_t>)>;
  void drain(const Visit& visit);
  void close() noexcept;

 private:
  void open_counters(int leader, std::span<const CounterId> wanted) noexcept;
  void read_entry(const unsigned char* bytes, std::uint32_t type, std::uint16_t misc, std::size_t size,
                  const Visit& visit);
  void read_sample(const unsigned char* at, const unsigned char* end, bool in_kernel, const Visit& visit);
  std::size_t read_counters(const unsigned char*& at, const unsigned char* end, std::span<std::uint64_t> values);

  perf_event_mmap_page* page_ = nullptr;
  std::size_t data_bytes_ = 0;
  std::uint64_t clock_offset_ = 0;  ///< modulo 2^64
  bool takes_samples_ = false, reads_counters_ = false, has_stack_top_ = false, excludes_kernel_ = false;
  SystemCalls system_calls_;
  PerfCounters counters_;
  CounterTotals totals_;
};

}  // namespace tracer::sample
