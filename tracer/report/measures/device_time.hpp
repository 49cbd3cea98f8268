// SPDX-License-Identifier: BSD-3-Clause
// The account of one device and its streams, as time passes and operations begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/report/device_rows.hpp"

namespace tracer::report {

/// How many threads of a device's process do what.
struct HostThreads {
  std::int64_t working = 0;  ///< the program's own code
  std::int64_t calling = 0;  ///< in calls that give the device something
  std::int64_t waiting = 0;  ///< in calls that wait for it
};

class DeviceTime {
 public:
  std::size_t add_stream();
  /// `ns` go by; what is going on stays as it is.
  void pass(std::uint64_t ns, const HostThreads& host);
  void begin(std::size_t stream, bool is_kernel);
  void end(std::size_t stream, bool is_kernel);
  /// Nothing comes any more: what lies behind the last operation is known, then.
  void finish();
  bool is_busy() const { return kernels_ + copies_ != 0; }
  std::int64_t kernels() const { return kernels_; }
  std::int64_t copies() const { return copies_; }
  std::int64_t most_kernels() const { return most_kernels_; }
  const DeviceTimes& times() const { return times_; }
  std::uint64_t busy_of(std::size_t stream) const { return streams_[stream].busy; }
  const DeviceTimes& idle_of(std::size_t stream) const { return streams_[stream].idle; }

 private:
  struct Stream {
    std::int64_t operations = 0;  ///< that go on
    std::uint64_t busy = 0;
    DeviceTimes idle{};
    DeviceTimes since{};  ///< the device's when its state changed last
  };
  void close(Stream& stream);
  DevicePlace place(const HostThreads& host) const;

  std::int64_t kernels_ = 0, copies_ = 0, most_kernels_ = 0;  ///< that go on
  bool begun_ = false;
  DeviceTimes times_{};
  DeviceTimes last_idle_{};  ///< since the last operation: where none follows, it is behind the last
  std::vector<Stream> streams_;
};

}  // namespace tracer::report
