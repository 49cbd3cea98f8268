// SPDX-License-Identifier: BSD-3-Clause
// A stream's times are differences of its device's: streams that do nothing cost nothing.
#include "tracer/report/measures/device_time.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tracer::report {

const char* name_of(DevicePlace place) noexcept {
  constexpr const char* names[] = {"before",     "kernel",     "kernel_and_copy",   "copy",
                                   "host_calls", "host_waits", "nothing_submitted", "after"};
  static_assert(sizeof names / sizeof names[0] == device_places);
  return names[static_cast<std::size_t>(place)];
}

const char* text_of(DevicePlace place) noexcept {
  constexpr const char* names[] = {"before its first operation",
                                   "kernels",
                                   "kernels and copies at once",
                                   "copies: kernels wait for them",
                                   "idle: the host launches, allocates, copies",
                                   "idle: the host waits for the device",
                                   "idle: nothing is submitted",
                                   "after its last operation"};
  static_assert(sizeof names / sizeof names[0] == device_places);
  return names[static_cast<std::size_t>(place)];
}

std::uint64_t DeviceTimes::sum() const noexcept {
  return std::accumulate(begin(), end(), std::uint64_t{0});
}

std::uint64_t DeviceTimes::busy() const noexcept {
  return at(DevicePlace::kernel) + at(DevicePlace::kernel_and_copy) + at(DevicePlace::copy);
}

std::uint64_t DeviceTimes::idle() const noexcept {
  return at(DevicePlace::host_calls) + at(DevicePlace::host_waits) + at(DevicePlace::nothing);
}

std::size_t DeviceTime::add_stream() {
  streams_.emplace_back();
  return streams_.size() - 1;
}

DevicePlace DeviceTime::place(const HostThreads& host) const {
  if (kernels_ > 0) return copies_ > 0 ? DevicePlace::kernel_and_copy : DevicePlace::kernel;
  if (copies_ > 0) return DevicePlace::copy;
  if (!begun_) return DevicePlace::before;
  if (host.calling > 0) return DevicePlace::host_calls;
  return host.waiting > 0 ? DevicePlace::host_waits : DevicePlace::nothing;
}

void DeviceTime::pass(std::uint64_t ns, const HostThreads& host) {
  const DevicePlace now = place(host);
  (is_idle(now) ? last_idle_ : times_).at(now) += ns;
}

/// What went by since the stream's state changed last.
void DeviceTime::close(Stream& stream) {
  if (stream.operations > 0)
    stream.busy += times_.sum() - stream.since.sum();
  else
    for (std::size_t p = 0; p < device_places; ++p) stream.idle[p] += times_[p] - stream.since[p];
  stream.since = times_;
}

void DeviceTime::begin(std::size_t stream, bool is_kernel) {
  begun_ = true;
  if (!is_busy())
    for (std::size_t p = 0; p < device_places; ++p) times_[p] += std::exchange(last_idle_[p], 0);
  if (streams_[stream].operations == 0) close(streams_[stream]);
  ++streams_[stream].operations;
  ++(is_kernel ? kernels_ : copies_);
  most_kernels_ = std::max(most_kernels_, kernels_);
}

void DeviceTime::end(std::size_t stream, bool is_kernel) {
  if (streams_[stream].operations == 1) close(streams_[stream]);
  --streams_[stream].operations;
  --(is_kernel ? kernels_ : copies_);
}

void DeviceTime::finish() {
  times_.at(DevicePlace::after) += last_idle_.sum();
  last_idle_ = {};
  for (Stream& stream : streams_) close(stream);
}

}  // namespace tracer::report
