// SPDX-License-Identifier: BSD-3-Clause
// Keeps what providers hand over, as a session would.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tracer/device_provider.hpp"

namespace tracer::test {

class MemoryDeviceSink : public DeviceSink {
 public:
  void records(std::span<const DeviceRecord> r) noexcept override {
    const std::lock_guard lock(lock_);
    all.insert(all.end(), r.begin(), r.end());
  }
  void clock_sync(const DeviceClockSync& point) noexcept override {
    const std::lock_guard lock(lock_);
    clock.push_back(point);
  }
  void device(const DeviceInfo& info) noexcept override {
    const std::lock_guard lock(lock_);
    devices[info.number] = info;
  }
  std::uint32_t intern(std::string_view text) noexcept override {
    const std::lock_guard lock(lock_);
    if (text.empty()) return 0;
    return ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(ids_.size() + 1)).first->second;
  }
  void count(std::string_view counter, std::uint64_t n) noexcept override {
    const std::lock_guard lock(lock_);
    counters[std::string(counter)] += n;
  }
  void message(std::string_view line) noexcept override {
    const std::lock_guard lock(lock_);
    messages.emplace_back(line);
  }
  void wake() noexcept override { ++wakes; }

  std::string name(std::uint32_t id) const {
    for (const auto& [text, known] : ids_)
      if (known == id) return text;
    return "";
  }
  std::map<std::uint32_t, std::string> strings() const {
    std::map<std::uint32_t, std::string> out;
    for (const auto& [text, id] : ids_) out[id] = text;
    return out;
  }

  std::vector<DeviceRecord> all;
  std::vector<DeviceClockSync> clock;
  std::map<std::int32_t, DeviceInfo> devices;
  std::map<std::string, std::uint64_t> counters;
  std::vector<std::string> messages;
  std::atomic<unsigned> wakes{0};

 private:
  std::mutex lock_;
  std::map<std::string, std::uint32_t> ids_;
};

}  // namespace tracer::test
