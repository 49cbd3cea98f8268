// SPDX-License-Identifier: BSD-3-Clause
// The fake CUPTI's state and what its parts have in common. For cupti*.cpp alone.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cupti.h>

#include "support/fake_cuda/fake_cuda.hpp"

namespace tracer::test::fake_cuda {

struct Buffer {
  std::uint8_t* memory = nullptr;
  std::size_t size = 0, used = 0;
};
struct Pending {  // an operation that the device may still be at
  std::uint64_t end = 0;
  std::uint64_t lane = 0;
  CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_INVALID;
  std::size_t end_offset = 0;
  std::vector<std::uint8_t> record;
};
/// Since CUDA 13 each thread has one, unless an attribute says no.
struct Lane {
  Buffer open;
  std::vector<Buffer> spare;
};

struct Cupti {
  std::mutex lock;
  std::condition_variable changed;
  std::set<CUpti_ActivityKind> enabled;
  std::vector<Pending> pending, over_disable;
  std::map<std::uint64_t, Lane> lanes;
  std::vector<Buffer> full;
  std::set<CUpti_CallbackId> recorded_calls;
  std::set<CUpti_ActivityUnifiedMemoryCounterKind> unified_counters;
  std::set<std::pair<int, CUpti_CallbackId>> told_calls;
  void* user_data = nullptr;
  std::uint64_t operations = 0;
  bool kernels_were_disabled = false;
  std::map<std::string, unsigned> calls;
  CUpti_CallbackFunc callback = nullptr;
  bool contexts_are_told = false, has_context = false;
  bool subscribed = false, registered = false, ever_enabled = false, ending = false;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::size_t dropped = 0;
  unsigned settling = 0;  ///< threads that have pending records in hand
  std::thread worker;
  const pid_t process = getpid();
};

Cupti& cupti();                                 ///< outlives every thread
extern std::atomic<std::uint64_t (*)()> stamp;  ///< the tool's clock, of records
extern std::atomic<bool> system_thread_ids, torn_down, per_thread;
/// The thread's external correlation ids, by kind.
std::map<int, std::vector<std::uint64_t>>& external();

/// On stderr, as "fake cupti: WHAT".
void violation(const char* what);
bool wants(CUpti_ActivityKind kind);

constexpr std::uint64_t lane_of_late_calls = ~std::uint64_t{0};
std::uint64_t lane_of_thread();

/// A record in the open buffer, preceded by its length.
void write(const std::vector<std::uint8_t>& record, std::uint64_t number, std::unique_lock<std::mutex>& lock);
/// Operations that are over; with `all` those that are not as well, of which nothing is known then.
void settle(bool all, std::unique_lock<std::mutex>& lock);
enum class Which { full, complete, all };
/// `complete`: also buffers that are not full, but none with a record that is still open.
void deliver(Which which, std::unique_lock<std::mutex>& lock);
bool is_inside_callback();  ///< the calling thread is in one of the tool's functions for buffers
/// The thread that delivers full buffers.
void work();

template <typename Record>
constexpr std::size_t offset_of_end() {
  if constexpr (requires(Record r) { r.end; })
    return offsetof(Record, end);
  else
    return 0;
}

template <typename Record>
void store(const Record& record, std::uint64_t end, std::uint64_t lane = lane_of_thread()) {
  auto& c = cupti();
  std::vector<std::uint8_t> bytes(sizeof record);
  std::memcpy(bytes.data(), &record, sizeof record);
  std::unique_lock lock(c.lock);
  if (end > monotonic() && c.pending.size() < 100'000)
    c.pending.push_back(
        {end, lane, static_cast<CUpti_ActivityKind>(record.kind), offset_of_end<Record>(), std::move(bytes)});
  else
    write(bytes, lane, lock);
}

/// What was open when a kind was switched off ends when it is switched on again.
void end_what_was_open(CUpti_ActivityKind kind);
/// The calling thread is in the tool's function for a new context, and the driver in the middle of making it.
bool is_told_of_context();
/// Records of all devices, once, when the driver is in use.
void devices();
/// The driver's tap.
void listen(bool on);

struct NamedCall {
  CUpti_CallbackId id;
  const char* name;
};
/// Null: the driver has no such call.
const NamedCall* call_of(CUpti_CallbackId id);

}  // namespace tracer::test::fake_cuda
