// SPDX-License-Identifier: BSD-3-Clause
// Builds buffers of CUPTI's own activity records, and a CUPTI that delivers them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <cupti.h>

#include "device/cupti/api.hpp"

namespace tracer::test {

inline std::uint64_t monotonic() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// Records of different kinds in any order; each is copied as its size.
class Activities {
 public:
  template <typename Record>
  void add(const Record& record) {
    std::vector<std::uint8_t> bytes(sizeof record);
    std::memcpy(bytes.data(), &record, sizeof record);
    records_.push_back(std::move(bytes));
  }
  void external(std::uint64_t host_op_id, std::uint32_t correlation) {
    CUpti_ActivityExternalCorrelation r{};
    r.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    r.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    r.externalId = host_op_id;
    r.correlationId = correlation;
    add(r);
  }
  void kernel(std::uint32_t correlation, std::uint64_t start, std::uint64_t end, std::uint32_t stream,
              const char* name) {
    CUpti_ActivityKernel10 r{};
    r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    r.start = start;
    r.end = end;
    r.streamId = stream;
    r.contextId = 1;
    r.correlationId = correlation;
    r.gridX = 8, r.gridY = r.gridZ = 1;
    r.name = name;
    add(r);
  }
  /// Of no particular time and call.
  void kernel_on(std::uint32_t device, std::uint32_t context = 0) {
    CUpti_ActivityKernel10 r{};
    r.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    r.deviceId = device;
    r.contextId = context;
    add(r);
  }
  void copy(std::uint32_t correlation, std::uint64_t start, std::uint64_t end, std::uint64_t bytes, bool to_device) {
    CUpti_ActivityMemcpy6 r{};
    r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    r.copyKind = to_device ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD : CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
    r.bytes = bytes;
    r.start = start;
    r.end = end;
    r.streamId = 7;
    r.contextId = 1;
    r.correlationId = correlation;
    add(r);
  }
  void api(std::uint32_t correlation, std::uint32_t thread = 0) {
    CUpti_ActivityAPI r{};
    r.threadId = thread;
    r.kind = CUPTI_ACTIVITY_KIND_DRIVER;
    r.correlationId = correlation;
    add(r);
  }
  /// Of the struct of one version; at its `start` for 100 ns. What does not apply is not zero.
  template <typename Record>
  void pages(CUpti_ActivityUnifiedMemoryCounterKind kind, std::uint64_t value, std::uint64_t start, std::uint32_t from,
             std::uint32_t to) {
    Record r{};
    r.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    r.counterKind = kind;
    r.value = value;
    r.start = start;
    r.end = start + 100;
    r.srcId = from;
    r.dstId = to;
    r.streamId = 77;
    add(r);
  }
  void shuffle(unsigned seed) { std::shuffle(records_.begin(), records_.end(), std::mt19937(seed)); }

  std::vector<std::vector<std::uint8_t>> records_;
};

/// CUPTI with a script. Static, as the C functions have no context; reset() between tests.
struct FakeCupti {
  static inline CUptiResult answer = CUPTI_SUCCESS;  ///< of every call but those that never fail
  static inline unsigned calls = 0, pushed = 0, popped = 0;
  static inline std::size_t dropped = 0;
  static inline CUpti_BuffersCallbackRequestFunc request = nullptr;
  static inline CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  static inline std::uint64_t last_pushed = 0;
  static inline CUpti_ActivityKind missing = CUPTI_ACTIVITY_KIND_INVALID;  ///< a kind that this CUPTI does not have
  static inline int current_device = 0;                                    ///< of the calling thread's context

  static inline CUptiResult unified_memory = CUPTI_SUCCESS;  ///< whether this CUPTI has it
  static inline CUpti_CallbackFunc callback = nullptr;

  /// "flush 0", "disable 10", "enable 10", "call 307 on", "unified memory 5", in their order.
  static inline std::vector<std::string> log;

  static void reset() {
    log.clear();
    answer = CUPTI_SUCCESS;
    calls = pushed = popped = 0;
    dropped = 0;
    missing = CUPTI_ACTIVITY_KIND_INVALID;
    current_device = 0;
    unified_memory = CUPTI_SUCCESS;
    callback = nullptr;
    request = nullptr;
    complete = nullptr;
  }
  static CUptiResult called() { return ++calls, answer; }

  static device::cupti::Api api() {
    device::cupti::Api a;
    a.get_version = [](std::uint32_t* version) {
      *version = CUPTI_API_VERSION;
      return CUPTI_SUCCESS;
    };
    a.get_result_string = [](CUptiResult, const char** text) {
      *text = "CUPTI_ERROR_SCRIPTED";
      return CUPTI_SUCCESS;
    };
    a.subscribe = [](CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void*) {
      callback = function;
      static int subscriber;
      *handle = reinterpret_cast<CUpti_SubscriberHandle>(&subscriber);
      return called();
    };
    a.unsubscribe = [](CUpti_SubscriberHandle) { return called(); };
    a.register_timestamp = [](CUpti_TimestampCallbackFunc) { return called(); };
    a.register_callbacks = [](CUpti_BuffersCallbackRequestFunc r, CUpti_BuffersCallbackCompleteFunc c) {
      request = r, complete = c;
      return called();
    };
    a.enable = [](CUpti_ActivityKind kind) {
      log.push_back("enable " + std::to_string(kind));
      return kind == missing ? CUPTI_ERROR_INVALID_KIND : called();
    };
    a.disable = [](CUpti_ActivityKind kind) {
      log.push_back("disable " + std::to_string(kind));
      return called();
    };
    a.configure_unified_memory = [](CUpti_ActivityUnifiedMemoryCounterConfig*, std::uint32_t count) {
      log.push_back("unified memory " + std::to_string(count));
      return unified_memory;
    };
    a.flush_all = [](std::uint32_t flag) {
      log.push_back("flush " + std::to_string(flag));
      return called();
    };
    a.next_record = &next_record;
    a.dropped_records = [](CUcontext, std::uint32_t, std::size_t* n) {
      *n = dropped, dropped = 0;
      return CUPTI_SUCCESS;
    };
    a.push_external = [](CUpti_ExternalCorrelationKind, std::uint64_t id) {
      ++pushed, last_pushed = id;
      return called();
    };
    a.pop_external = [](CUpti_ExternalCorrelationKind, std::uint64_t*) {
      ++popped;
      return called();
    };
    return a;
  }

  /// Fills buffers that the tool lends, and hands them back. A record is preceded by its size.
  static void deliver(const Activities& activities) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, used = 0, most = 0;
    const auto finish = [&] {
      if (buffer) complete(nullptr, 0, buffer, size, used);
    };
    for (const auto& record : activities.records_) {
      const std::size_t need = sizeof(std::uint64_t) + (record.size() + 7) / 8 * 8;
      if (!buffer || used + need > size) {
        finish();
        request(&buffer, &size, &most);
        used = 0;
        if (!buffer) return;
      }
      const std::uint64_t length = need;
      std::memcpy(buffer + used, &length, sizeof length);
      std::memcpy(buffer + used + sizeof length, record.data(), record.size());
      used += need;
    }
    finish();
  }

 private:
  static CUptiResult next_record(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
    std::size_t at = 0;
    if (*record) {
      const auto* before = reinterpret_cast<std::uint8_t*>(*record) - sizeof(std::uint64_t);
      std::uint64_t length = 0;
      std::memcpy(&length, before, sizeof length);
      at = static_cast<std::size_t>(before - buffer) + length;
    }
    if (at >= valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(buffer + at + sizeof(std::uint64_t));
    return CUPTI_SUCCESS;
  }
};

}  // namespace tracer::test
