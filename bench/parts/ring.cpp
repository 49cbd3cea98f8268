// SPDX-License-Identifier: BSD-3-Clause
// A record's way into the ring: alone, with a consumer on another core that has read every line before, and with one
// that has claimed every line, as the drainer does.
#include "tracer/ring/ring.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tracer/base/clock.hpp"
#include "tracer/record.hpp"

namespace tracer::bench {
namespace {

enum class Reader { nobody, reads, claims };

/// Ends with the benchmark; takes away what is there every few microseconds.
class Consumer {
 public:
  Consumer(const Record* slots, std::uint64_t capacity, std::atomic<std::uint64_t>& head,
           std::atomic<std::uint64_t>& tail, bool claims)
      : thread_([this, slots, capacity, &head, &tail, claims] {
          while (!stop_.load(std::memory_order_relaxed)) {
            const std::uint64_t from = tail.load(std::memory_order_relaxed), to = head.load(std::memory_order_acquire);
            if (to - from < capacity / 2) {
              std::this_thread::sleep_for(std::chrono::microseconds(20));
              continue;
            }
            std::uint64_t sum = 0;
            for (std::uint64_t i = from; i < to; ++i) {
              const Record& slot = slots[i & (capacity - 1)];
              if (claims && i % 2 == 0) claim(std::span(&slot, 1));
              sum += slot.time;
            }
            benchmark::DoNotOptimize(sum);
            tail.store(to, std::memory_order_release);
          }
        }) {}
  ~Consumer() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Argument: the ring's size in KiB.
void put(benchmark::State& state, Reader reader) {
  const bool consumed = reader != Reader::nobody;
  const auto capacity = static_cast<std::uint64_t>(state.range(0)) * 1024 / sizeof(Record);
  std::vector<Record> slots(capacity);
  struct Shared {  // the two ends' words and what only the producer has: a cache line each
    alignas(64) std::atomic<std::uint64_t> head{0};
    alignas(64) std::atomic<std::uint64_t> tail{0};
    alignas(64) RingWriter<std::uint64_t, Record> ring;
  };
  const auto shared = std::make_unique<Shared>();
  auto& [head, tail, ring] = *shared;
  ring.attach(slots.data(), capacity, head, tail);
  choose_clock();
  std::unique_ptr<Consumer> consumer;
  if (consumed) consumer = std::make_unique<Consumer>(slots.data(), capacity, head, tail, reader == Reader::claims);
  for (auto _ : state) {
    while (!ring.fits(1)) {
      if (!consumed) tail.store(head.load(std::memory_order_relaxed), std::memory_order_relaxed);
      ring.allow(ring.room());
    }
    ring.put(Record{now(), RecordKind::sync_region, Endpoint::begin, 3, 0, 42, 0x401234});
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK_CAPTURE(put, alone, Reader::nobody)->Arg(256)->Arg(4096);
BENCHMARK_CAPTURE(put, read, Reader::reads)->Arg(256)->Arg(4096);
BENCHMARK_CAPTURE(put, claimed, Reader::claims)->Arg(256)->Arg(4096);

}  // namespace
}  // namespace tracer::bench
