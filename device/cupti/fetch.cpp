// SPDX-License-Identifier: BSD-3-Clause
// Lends CUPTI buffers, and brings what it has in: twice a second, and at the end.
#include <time.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include "device/cupti/provider_state.hpp"

namespace tracer::device::cupti {

void Provider::request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) noexcept {
  const auto lent = buffers_.lend();
  *buffer = lent.memory;
  *size = lent.bytes;
  *records = 0;
  if (lent.is_scrap && state_ == State::running) sink_.count("device.buffers_refused", 1);
}

void Provider::complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid) noexcept {
  std::size_t dropped = 0;
  const Gate::Pass pass(gate);
  if (pass && api_.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS && dropped) {
    sink_.count("device.records_lost", dropped);
    DeviceRecord lost{};
    lost.kind = DeviceRecordKind::lost;
    lost.bytes = dropped;
    lost.end = options_.clock();
    lost.provider = DeviceProviderKind::cupti;
    sink_.records({&lost, 1});
  }
  if (buffer && buffers_.complete(buffer, valid)) sink_.wake();
}

void Provider::parse(const Buffers::Delivered& delivered) {
  const auto each = [&](auto take) {
    CUpti_Activity* activity = nullptr;
    while (api_.next_record(delivered.memory, delivered.valid, &activity) == CUPTI_SUCCESS) take(*activity);
  };
  // Whoever looks at a record last frees what it owns.
  const auto each_at_last = [&](auto take) {
    each([&](const CUpti_Activity& activity) {
      take(activity);
      std::free(Converter::memory_of(activity, api_.version));
    });
  };
  if (delivered.is_scrap) {
    std::uint64_t lost = 0;
    each_at_last([&](const CUpti_Activity& activity) { lost += Converter::is_of_device(activity); });
    if (lost) sink_.count("device.records_lost", lost);
    return;
  }
  silence_.heard();
  each([&](const CUpti_Activity& activity) { converter_.learn(activity); });
  each_at_last([&](const CUpti_Activity& activity) { converter_.take(activity); });
  converter_.flush();
  if (!has_call_regions_) count_calls(delivered);
}

/// Those that have no region of their own: all, or what began when the subscription had been given back.
void Provider::count_calls(const Buffers::Delivered& delivered) {
  std::array<std::uint64_t, call_kinds> counts{};
  std::unordered_set<std::uint32_t> seen;
  CUpti_Activity* activity = nullptr;
  const std::uint64_t from = calls_without_region_from_;
  while (api_.next_record(delivered.memory, delivered.valid, &activity) == CUPTI_SUCCESS) {
    if (activity->kind != CUPTI_ACTIVITY_KIND_DRIVER && activity->kind != CUPTI_ACTIVITY_KIND_RUNTIME) continue;
    const auto& call = *reinterpret_cast<const ApiCall*>(activity);
    if (call.start < from) continue;
    const auto kind = recorded_calls_.kind(call);
    // the runtime's call and the driver's inside it have one id
    if (kind != CallKind::other && seen.insert(call.correlationId).second) ++counts[static_cast<std::size_t>(kind)];
  }
  for (std::size_t kind = 1; kind < call_kinds; ++kind) {
    char name[40];
    std::snprintf(name, sizeof name, "device.calls_%s", name_of(static_cast<CallKind>(kind)));
    if (counts[kind]) sink_.count(name, counts[kind]);
  }
}

void Provider::drain() noexcept {
  const Gate::Pass pass(gate);
  if (!pass) return;
  const std::lock_guard state(state_lock_);
  while (const auto next = buffers_.next()) {
    try {
      parse(*next);
    } catch (...) {
      sink_.count("device.buffers_unreadable", 1);
    }
    buffers_.give_back(next->memory);
  }
}

bool Provider::flush_all(std::uint32_t flag) noexcept {
  return check(api_.flush_all(flag), "cuptiActivityFlushAll");
}

/// A flush brings buffers in which nothing is open; what the device is still at is waited for a little, and a thread of
/// CUPTI's own may be handing over what a flush does not find any more. The `last` one takes the rest as it is: what is
/// open then has no end, and never gets one.
void Provider::fetch_rest(bool last) noexcept {
  constexpr timespec nap{0, 1'000'000};
  constexpr int most_naps = 200, naps_between = 20;
  for (int naps = 0; naps < most_naps; ++naps) {
    if (naps % naps_between == 0 && !flush_all(0)) return;
    if (buffers_.lent() == 0) return;
    ::nanosleep(&nap, nullptr);
  }
  if (!last || !flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)) return;
  // what another profiler's buffers have replaced never comes back
  for (int naps = 0; naps < naps_between && buffers_.lent() > 0; ++naps) ::nanosleep(&nap, nullptr);
}

/// Only buffers whose records are all complete are delivered, full or not; never waits for the device.
void Provider::flush() noexcept {
  const Gate::Pass pass(gate);
  if (usable() && driver_runs(api_)) flush_all(0);
}

/// What CUPTI has a killed program loses: twice a second it is fetched, and is then in the raw trace. A killed program
/// loses at most the last second also where this thread waits half a second for a processor.
void Provider::flush_in_time() noexcept {
  constexpr std::uint64_t period = 500'000'000;
  const auto time = monotonic();
  const Gate::Pass pass(gate);
  if (!has_exit_handler_ || !recording || time - last_flush_ < period || !usable() || !driver_runs(api_)) return;
  last_flush_ = time;
  flush_all(0);
  if (silence_.is_new(time))
    sink_.message(
        "CUPTI stopped delivering records although the program uses the device (another profiler may have taken over): "
        "what devices do from then on is missing; for target constructs the host's intervals stand in");
}

/// Exit handlers run last to first, and what is registered once CUDA is in use runs before the driver's own handler.
/// The runtime's finalize, where finish() is called from, comes after it in a program that uses CUDA without target
/// constructs.
void Provider::flush_at_exit() noexcept {
  if (!has_exit_handler_.exchange(true)) std::atexit(&at_exit);
}

void Provider::flush_before_exit() noexcept {
  const Gate::Pass pass(gate);
  if (usable() && driver_runs(api_)) fetch_rest(true);
  drain();
}

}  // namespace tracer::device::cupti
