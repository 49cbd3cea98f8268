// SPDX-License-Identifier: BSD-3-Clause
// Opens, feeds and closes one device by the rules of the specification and the habits of AMD's
// runtime, the only implementation there is.
#include "device/ompt/traced_device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <thread>

namespace tracer::device::ompt {
namespace {

using namespace std::chrono_literals;

constexpr bool accepted(ompt_set_result_t result) noexcept {
  return result >= ompt_set_sometimes;
}

/// The plain type, then its EMI twin where the runtime has only that. Never both: an
/// implementation may take them for two kinds of record.
struct RecordType {
  ompt_callbacks_t plain;
  int emi;
};
/// Not `target` (8): the host has it, and AMD's records of it have no time.
constexpr RecordType transfers{ompt_callback_target_data_op, 34}, kernels{ompt_callback_target_submit, 35};

/// What a device might trace of its own OpenMP threads; each becomes a named instant.
constexpr std::array device_types{ompt_callback_thread_begin,   ompt_callback_thread_end,  ompt_callback_parallel_begin,
                                  ompt_callback_parallel_end,   ompt_callback_task_create, ompt_callback_task_schedule,
                                  ompt_callback_implicit_task,  ompt_callback_sync_region, ompt_callback_mutex_acquired,
                                  ompt_callback_mutex_released, ompt_callback_work,        ompt_callback_masked,
                                  ompt_callback_target_map,     ompt_callback_cancel,      ompt_callback_dispatch};

class Inside {
 public:
  /// Before the look whether the device is open.
  explicit Inside(std::atomic<unsigned>& count) noexcept : count_(count) {
    count_.fetch_add(1);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  ~Inside() { count_.fetch_sub(1); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  std::atomic<unsigned>& count_;
};

}  // namespace

bool TracedDevice::enable_standard() noexcept {
  if (!entry_.set_trace_ompt || !entry_.get_record_ompt) return false;
  const auto set = [&](int type) { return accepted(entry_.set_trace_ompt(handle_, 1, static_cast<unsigned>(type))); };
  transfers_are_standard_ = set(transfers.plain) || set(transfers.emi);
  kernels_are_standard_ = set(kernels.plain) || set(kernels.emi);
  // AMD's runtime has no others, and no pause either
  if (entry_.pause_trace)
    for (const auto type : device_types) set(type);
  return transfers_are_standard_ || kernels_are_standard_;
}

/// Native records only of what standard ones lack, so that nothing arrives twice.
bool TracedDevice::enable_native() noexcept {
  if (!entry_.set_trace_native || !entry_.get_record_type || !entry_.get_record_native || !entry_.get_record_abstract) {
    return false;
  }
  int flags = ompt_native_driver | ompt_native_runtime | ompt_native_overhead | ompt_native_idleness;
  if (!kernels_are_standard_) flags |= ompt_native_kernel_execution;
  if (!transfers_are_standard_) flags |= ompt_native_data_motion_explicit | ompt_native_data_motion_implicit;
  return accepted(entry_.set_trace_native(handle_, 1, flags));
}

/// Once: AMD's runtime asserts that what is recorded does not change.
bool TracedDevice::enable() noexcept {
  const bool standard = enable_standard();
  const bool native = enable_native();
  // requesting a record's type takes a lock of the whole process there
  if (!native && standard) entry_.get_record_type = nullptr;
  return standard || native;
}

DeviceAnswer TracedDevice::open(const DeviceDescription& device, DeviceInfo& info,
                                ompt_callback_buffer_request_t on_request,
                                ompt_callback_buffer_complete_t on_complete) noexcept {
  const std::lock_guard lock(control_);
  entry_ = look_up(device.lookup);
  if (const char* missing = entry_.missing()) return {false, missing};
  number_ = device.number;
  handle_ = device.handle;
  if (!scrap_.allocate()) return {false, "no memory for a trace buffer"};
  // a NULL device answers `never` to everything in AMD's runtime
  if (!enable()) return {false, "the OpenMP runtime records neither kernels nor transfers of this device"};
  starved_ = is_starvation_reported_ = drained_ = stoppable_ = false;
  open_ = true;
  read_clocks();
  opened_ticks_ = clock_();
  opened_wtime_ = wtime_ ? wtime_() : 0;
  if (!entry_.start_trace(handle_, on_request, on_complete)) {
    open_ = false;
    return {false, "ompt_start_trace failed"};
  }
  request_properties(info);
  return {true, "the runtime's device tracing"};
}

void TracedDevice::request_properties(DeviceInfo& info) noexcept try {
  if (entry_.get_device_num_procs) {
    info.properties["processors"] = std::to_string(entry_.get_device_num_procs(handle_));
  }
  if (!entry_.get_buffer_limits) return;
  // only for the message: buffers of any size will do, and there are never more at once than the runtime requests
  int most = 0;
  std::size_t recommended = 0;
  entry_.get_buffer_limits(handle_, &most, &recommended);
  info.properties["trace_buffers_at_most"] = std::to_string(most);
  info.properties["trace_buffer_bytes_recommended"] = std::to_string(recommended);
} catch (...) {
  sink_.count("device.properties_lost", 1);
}

void TracedDevice::request(void** buffer, std::size_t* bytes) noexcept {
  const Inside inside(inside_);
  std::size_t size = pool_.buffer_bytes();
  void* memory = is_open() && !starved_ ? pool_.take(slot_) : nullptr;
  if (!memory) {
    // AMD's runtime crashes on a NULL buffer, and a stop would end the timing of copies of all devices
    if (is_open()) {
      if (!starved_.exchange(true)) sink_.wake();
      sink_.count("device.buffers_refused", 1);
    }
    memory = scrap_.take();
    size = Scrap::piece_bytes;
  }
  *buffer = memory;
  *bytes = size;
}

bool TracedDevice::complete(const Range& range, bool owned) noexcept {
  const Inside inside(inside_);
  if (scrap_.holds(range.buffer)) {
    if (is_open()) discard(range);
    if (owned) scrap_.give_back(range.buffer);
    return false;
  }
  if (!is_open() || !pool_.is_out(range.buffer)) {
    sink_.count("device.buffers_late_or_unknown", 1);
    return false;
  }
  if (range.bytes) delivered_.fetch_add(1, std::memory_order_relaxed);
  if (owned && range.bytes) return pool_.hand_over(range.buffer);
  // not owned: the runtime may write on and forget the range's end when this returns
  parse_now(range);
  if (owned) pool_.give_back(range.buffer);
  return false;
}

void TracedDevice::drain(const Range& range) noexcept {
  parse_now(range);
  pool_.give_back(range.buffer);
}

void TracedDevice::parse_now(const Range& range) noexcept {
  const auto count = parse(entry_, handle_, number_, range, sink_);
  if (count.unreadable) sink_.count("device.records_unreadable", count.unreadable);
  translate_times(count);
}

/// For a device whose clock cannot be read: the runtime's own translation of two times of each buffer, which is in
/// omp_get_wtime's seconds. With a clock the own fit is finer (AMD's factors are the process's, and a double has 0.2 us
/// at today's date).
void TracedDevice::translate_times(const ParseCount& count) noexcept {
  if (entry_.get_device_time || !entry_.translate_time || !wtime_ || count.first == 0) return;
  const double wtime = wtime_();
  const Ticks ticks = clock_();
  if (wtime - opened_wtime_ < 1e-3) return;  // too short to measure a tick
  const double ticks_per_second = static_cast<double>(ticks - opened_ticks_) / (wtime - opened_wtime_);
  for (const auto time : {count.first, count.last}) {
    const double ago = (wtime - entry_.translate_time(handle_, time)) * ticks_per_second;
    if (ago < 0 || ago > static_cast<double>(ticks)) continue;
    sink_.clock_sync({number_, ticks - static_cast<Ticks>(ago), time});
  }
}

/// Only counted: what follows is lost as well.
void TracedDevice::discard(const Range& range) noexcept {
  ParseCount count;
  if (scrap_.is_readable(range.buffer))
    count = parse(entry_, handle_, number_, range, sink_, true);
  else
    count.unreadable = range.bytes / sizeof(ompt_record_ompt_t);
  if (!count.unreadable) return;
  sink_.count("device.records_lost", count.unreadable);
  DeviceRecord lost{};
  lost.kind = DeviceRecordKind::lost;
  lost.device = number_;
  lost.bytes = count.unreadable;
  lost.end = clock_();
  lost.provider = DeviceProviderKind::ompt;
  lost.clock = DeviceClock::host_ticks;
  sink_.records({&lost, 1});
}

/// The middle of the tightest of some readings of the host's clock around one of the device's.
void TracedDevice::read_clocks() noexcept {
  if (!entry_.get_device_time) return;
  last_reading_ = std::chrono::steady_clock::now();
  DeviceClockSync best;
  Ticks width = ~Ticks{0};
  for (int i = 0; i < 5; ++i) {
    const Ticks before = clock_();
    const auto device_time = entry_.get_device_time(handle_);
    const Ticks after = clock_();
    if (after - before >= width) continue;
    width = after - before;
    best = {number_, before + width / 2, device_time};
  }
  sink_.clock_sync(best);
}

/// Without ompt_pause_trace recording goes on, and what the host requested in the pause is left out in the end.
void TracedDevice::pause(bool on) noexcept {
  const std::lock_guard lock(control_);
  if (is_open() && entry_.pause_trace) entry_.pause_trace(handle_, on);
}

void TracedDevice::poll() noexcept {
  const std::unique_lock lock(control_, std::try_to_lock);  // close() waits inside the runtime
  if (!lock || !is_open()) return;
  if (std::chrono::steady_clock::now() - last_reading_ > 200ms) read_clocks();
  if (!starved_ || is_starvation_reported_) return;
  is_starvation_reported_ = true;
  sink_.message("out of memory for device trace buffers: recording of a device stops (see TRACER_DEVICE_MEMORY)");
}

/// AMD's runtime hands out each buffer as it stands and closes it there: what it records into it later comes only when
/// the buffer is full, and at the end not at all. So there is one flush, and none before the end. Its helper may wait
/// for ever for a record that nobody completes (a kernel that nobody waited for), and the flush with it: it has a
/// thread of its own, and is left behind when nothing has come for a while. False: it was.
bool TracedDevice::flush() noexcept {
  if (!entry_.flush_trace) return true;
  const auto deliveries = [this] { return delivered_.load(std::memory_order_relaxed); };
  bool done = false;
  if (!flush_.start(entry_.flush_trace, handle_))
    sink_.count("device.flush_failed", 1);  // no thread
  else
    done = flush_.await(deliveries);
  if (!done) {
    sink_.count("device.flush_unfinished", 1);
    return false;
  }
  if (flush_.answer() == 0) sink_.count("device.flush_refused", 1);
  // a record is complete when a handler of the driver's has run, shortly after the host saw the operation's end
  constexpr int most_rounds = 100;
  for (int quiet = 0, round = 0; quiet < 2 && round < most_rounds; ++round) {
    const auto before = deliveries();
    std::this_thread::sleep_for(3ms);
    quiet = deliveries() == before ? quiet + 1 : 0;
  }
  return true;
}

void TracedDevice::stop() noexcept {
  if (entry_.stop_trace) entry_.stop_trace(handle_);
}

void TracedDevice::wait_for_callbacks() noexcept {
  for (int i = 0; i < 1000 && inside_.load() != 0; ++i) std::this_thread::sleep_for(1ms);
}

void TracedDevice::drain_device() noexcept {
  const std::lock_guard lock(control_);
  if (!is_open() || drained_) return;
  read_clocks();
  drained_ = true;
  stoppable_ = flush();
}

void TracedDevice::close(bool others_are_open) noexcept {
  drain_device();
  const std::lock_guard lock(control_);
  if (!is_open()) return;
  // AMD's stop ends the timing of copies of all devices
  if (stoppable_ && !others_are_open) stop();
  // 1 a runtime's thread is about to enter complete(): it will see open_ false and touch nothing
  // 2 it is inside already: it is waited for, and what it delivers counts
  open_ = false;
  wait_for_callbacks();
}

}  // namespace tracer::device::ompt
