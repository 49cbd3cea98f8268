// SPDX-License-Identifier: BSD-3-Clause
// The fake CUPTI's buffers: lent by the tool, filled by its threads, delivered by a thread of its own or by a flush.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "support/fake_cuda/profiler.hpp"

namespace tracer::test::fake_cuda {
namespace {

std::atomic<std::uint64_t> next_lane{1};
thread_local bool inside_callback = false;

void lend(Lane& lane, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  std::uint8_t* memory = nullptr;
  std::size_t size = 0, most = 0;
  lock.unlock();
  inside_callback = true;
  if (c.request) c.request(&memory, &size, &most);
  inside_callback = false;
  lock.lock();
  if (memory && reinterpret_cast<std::uintptr_t>(memory) % 8) violation("a buffer that is not aligned to 8 bytes");
  if (memory && size < 1024) violation("a buffer of less than 1024 bytes");
  if (!memory) {
    violation("a NULL buffer, at which CUPTI crashed before 12.9");
    std::abort();
  }
  if (lane.open.memory)
    lane.spare.push_back({memory, size, 0});  // another thread was faster
  else
    lane.open = {memory, size, 0};
}

}  // namespace

std::atomic<bool> per_thread{true};
std::uint64_t lane_of_thread() {
  static thread_local const std::uint64_t own = next_lane++;
  return per_thread ? own : 0;
}

bool is_inside_callback() {
  return inside_callback;
}

void write(const std::vector<std::uint8_t>& record, std::uint64_t number, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  auto& lane = c.lanes[number];
  // records of later versions have more fields
  const std::size_t newer = std::getenv("FAKE_CUPTI_NEWER") ? 64 : 0;
  const std::size_t need = 8 + (record.size() + newer + 7) / 8 * 8;
  while (!lane.open.memory || lane.open.used + need > lane.open.size) {  // other threads write while one is lent
    if (lane.open.memory) c.full.push_back(lane.open);
    lane.open = {};
    c.changed.notify_one();
    if (lane.spare.empty()) {
      lend(lane, lock);
    } else {
      lane.open = lane.spare.back();
      lane.spare.pop_back();
    }
  }
  const std::uint64_t length = need;
  std::memcpy(lane.open.memory + lane.open.used, &length, 8);
  std::memcpy(lane.open.memory + lane.open.used + 8, record.data(), record.size());
  std::memset(lane.open.memory + lane.open.used + 8 + record.size(), 0xee, need - 8 - record.size());
  lane.open.used += need;
}

void settle(bool all, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  ++c.settling;
  std::vector<Pending> wait;
  auto pending = std::move(c.pending);
  c.pending.clear();
  for (auto& p : pending) {
    const bool over = p.end <= monotonic();
    if (!over && all && p.end_offset) std::memset(p.record.data() + p.end_offset, 0, sizeof(std::uint64_t));
    if (all || over)
      write(p.record, p.lane, lock);
    else
      wait.push_back(std::move(p));
  }
  c.pending.insert(c.pending.end(), wait.begin(), wait.end());
  --c.settling;
  c.changed.notify_all();
}

void deliver(Which which, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  for (auto& [number, lane] : c.lanes) {
    if (which == Which::full) break;
    const auto is_open = [number = number](const Pending& p) { return p.lane == number; };
    const bool held = std::any_of(c.pending.begin(), c.pending.end(), is_open) || number == lane_of_late_calls;
    if (which == Which::complete && held) continue;
    if (lane.open.memory) c.full.push_back(lane.open);
    lane.open = {};
    c.full.insert(c.full.end(), lane.spare.begin(), lane.spare.end());
    lane.spare.clear();
  }
  auto full = std::move(c.full);
  c.full.clear();
  lock.unlock();
  if (const char* late = std::getenv("FAKE_CUPTI_LATE"); late && which == Which::full)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(late)));
  inside_callback = true;
  for (const auto& b : full) c.complete(nullptr, 0, b.memory, b.size, b.used);
  inside_callback = false;
  lock.lock();
}

void work() {
  pthread_setname_np(pthread_self(), "fake cupti");
  auto& c = cupti();
  std::unique_lock lock(c.lock);
  while (!c.ending) {
    c.changed.wait_for(lock, std::chrono::milliseconds(20));
    if (c.ending) return;
    settle(false, lock);
    if (!std::getenv("FAKE_CUPTI_KEEPS") && c.complete) deliver(Which::full, lock);
  }
}

void end_what_was_open(CUpti_ActivityKind kind) {
  auto& c = cupti();
  std::unique_lock lock(c.lock);
  std::vector<Pending> open;
  for (const auto& p : c.over_disable)
    if (p.kind == kind) open.push_back(p);
  std::erase_if(c.over_disable, [kind](const Pending& p) { return p.kind == kind; });
  for (auto& p : open) {
    const auto time = monotonic();
    if (p.end_offset) std::memcpy(p.record.data() + p.end_offset, &time, sizeof time);
    write(p.record, p.lane, lock);
  }
}

}  // namespace tracer::test::fake_cuda
