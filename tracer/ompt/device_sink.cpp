// SPDX-License-Identifier: BSD-3-Clause
// Passes on what the providers of device records deliver.
#include "tracer/ompt/device_sink.hpp"

#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/range_language.hpp"

namespace tracer::ompt {

void SessionDeviceSink::records(std::span<const DeviceRecord> records) noexcept {
  session_.device_records(records);
}

void SessionDeviceSink::clock_sync(const DeviceClockSync& point) noexcept try {
  session_.journal().device_clock(point);
} catch (...) {  // the fit does with one point less
}

void SessionDeviceSink::device(const DeviceInfo& info) noexcept try { session_.journal().device(info); } catch (...) {
  session_.count("device.descriptions_lost", 1);
}

/// Kernels are the program's, which may compile them as it runs.
std::uint32_t SessionDeviceSink::intern(std::string_view text) noexcept {
  return text.empty() ? 0 : session_.intern_name(text);
}

void SessionDeviceSink::count(std::string_view counter, std::uint64_t n) noexcept {
  session_.count(counter, n);
}

void SessionDeviceSink::call_began(std::uint32_t name, std::uint64_t correlation) noexcept {
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::range_push,
                  .endpoint = Endpoint::begin,
                  .sub = call_of_device,
                  .a = name,
                  .b = 0,
                  .c = correlation});
  });
}

void SessionDeviceSink::call_ended() noexcept {
  record([](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::range_pop,
                  .endpoint = Endpoint::end,
                  .sub = range_language::cuda,
                  .a = 0,
                  .b = 0,
                  .c = 0});
  });
}

void SessionDeviceSink::message(std::string_view line) noexcept {
  session_.message(line);
}

void SessionDeviceSink::wake() noexcept {
  if (poll_is_queued_.exchange(true, std::memory_order_acq_rel)) return;
  session_.enqueue([this]() noexcept {
    poll_is_queued_.store(false, std::memory_order_release);
    if (device::Devices* provider = devices()) provider->poll();
  });
}

}  // namespace tracer::ompt
