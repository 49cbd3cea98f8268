// SPDX-License-Identifier: BSD-3-Clause
// Where the providers' device records go: into the session.
#pragma once

#include <atomic>

#include "device/select/select.hpp"
#include "tracer/device_provider.hpp"
#include "tracer/session/session.hpp"

namespace tracer::ompt {

class SessionDeviceSink : public DeviceSink {
 public:
  explicit SessionDeviceSink(Session& session) noexcept : session_(session) {}

  void records(std::span<const DeviceRecord> records) noexcept override;
  void clock_sync(const DeviceClockSync& point) noexcept override;
  void device(const DeviceInfo& info) noexcept override;
  std::uint32_t intern(std::string_view text) noexcept override;
  void count(std::string_view counter, std::uint64_t n) noexcept override;
  void call_began(std::uint32_t name, std::uint64_t correlation) noexcept override;
  void call_ended() noexcept override;
  void message(std::string_view line) noexcept override;
  /// The drainer's thread calls Devices::poll soon, once for all wakes until then.
  void wake() noexcept override;

 private:
  Session& session_;
  std::atomic<bool> poll_is_queued_{false};
};

}  // namespace tracer::ompt
