// SPDX-License-Identifier: BSD-3-Clause
// A report's rows on a device: each moment of its process' time in exactly one place, its streams, its memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// What a device does at a moment. Where it is idle: what its process' threads do.
enum class DevicePlace : std::uint8_t {
  before,           ///< its first operation has not begun
  kernel,           ///< one runs at least, and nothing is copied
  kernel_and_copy,  ///< at once
  copy,             ///< no kernel runs: all wait for the copy
  host_calls,       ///< idle, while a thread launches, allocates or copies, or begins a target construct
  host_waits,       ///< idle, while a thread waits for the device to have finished, and none calls
  nothing,          ///< idle, and nothing is submitted
  after,            ///< its last operation has ended
  count_
};
inline constexpr std::size_t device_places = static_cast<std::size_t>(DevicePlace::count_);
const char* name_of(DevicePlace place) noexcept;  ///< stable, for JSON
const char* text_of(DevicePlace place) noexcept;  ///< for people
constexpr bool is_busy(DevicePlace place) noexcept {
  return place == DevicePlace::kernel || place == DevicePlace::kernel_and_copy || place == DevicePlace::copy;
}
constexpr bool is_idle(DevicePlace place) noexcept {
  return place == DevicePlace::host_calls || place == DevicePlace::host_waits || place == DevicePlace::nothing;
}

/// ns; together the time from the first to the last event of the device's process.
struct DeviceTimes : std::array<std::uint64_t, device_places> {
  std::uint64_t& at(DevicePlace place) noexcept { return (*this)[static_cast<std::size_t>(place)]; }
  std::uint64_t at(DevicePlace place) const noexcept { return (*this)[static_cast<std::size_t>(place)]; }
  std::uint64_t sum() const noexcept;
  std::uint64_t busy() const noexcept;
  std::uint64_t idle() const noexcept;  ///< between the first and the last operation
};

struct StreamRow {
  LocationRef location = 0;
  std::string name;
  std::uint64_t kernels = 0, kernel_ns = 0, copies = 0, copy_ns = 0, bytes = 0;
  std::uint64_t busy = 0;  ///< an operation of this stream was going on
  DeviceTimes idle{};      ///< what the device did while this stream had nothing: with `busy` the device's time
};

/// Memory that the process has allocated on the device, or that its memory pools have.
struct DeviceMemory {
  std::uint64_t peak = 0, peak_at = 0, end = 0;                 ///< bytes; on the trace's clock; when the trace ends
  std::vector<std::pair<std::uint64_t, std::uint64_t>> points;  ///< time, the most until the next point
};

}  // namespace tracer::report
