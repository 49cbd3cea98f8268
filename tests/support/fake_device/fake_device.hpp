// SPDX-License-Identifier: BSD-3-Clause
// A device whose runtime implements the OMPT device tracing interface, in two personalities.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <omp-tools.h>

#include "support/fake_device/clock.hpp"
#include "tracer/device_provider.hpp"

namespace tracer::test {

/// What can go wrong; `every` n-th record of the kind concerned has the fault, 0: none.
struct Faults {
  unsigned missing_times = 0;  ///< both times 0
  unsigned end_before_begin = 0;
  unsigned wrong_host_op = 0;     ///< a data-op record carries the id of the operation before it
  unsigned unknown_host_op = 0;   ///< the id is none of the host's
  unsigned invalid_records = 0;   ///< standard: an extra record of type invalid; counted in `invalid`
  unsigned without_abstract = 0;  ///< standard: an extra native record without abstract description
  bool late_completion = false;   ///< a buffer is completed once more after stop_trace
  bool no_start = false;          ///< start_trace fails
  bool no_kernels = false;        ///< set_trace_ompt never traces kernels
  bool silent = false;            ///< accepts everything, and makes no record: LLVM's plug-ins other than AMD's
  bool flush_waits = false;       ///< amd: a flush waits for records that are not complete yet, if need be for ever
  bool null_again = false;        ///< amd, from 2026-08 on: without a buffer it asks for one at every record
};

struct FakeOptions {
  std::int32_t number = 0;
  DriftingClock clock{};
  Faults faults{};
  bool native_kernels = false;  ///< standard: kernels come as native records only
  bool can_read_clock = true;   ///< lookup finds ompt_get_device_time
};

/// One thing the program asked the device to do.
struct Operation {
  ompt_callbacks_t type = ompt_callback_target_submit;  ///< target_submit or target_data_op
  ompt_target_data_op_t optype = ompt_target_data_transfer_to_device;
  ompt_id_t host_op_id = 0, target_id = 0, thread_id = 0;
  std::uint64_t source = 0, destination = 0, bytes = 0;
  int source_device = -1, destination_device = -1;
  unsigned requested_teams = 0, granted_teams = 0;
  std::uint64_t duration = 1000;
  // set by the device, on the host's clock
  std::uint64_t start = 0, end = 0;
};

/// Base of both personalities: the queue thread that executes operations in order.
class FakeDevice {
 public:
  explicit FakeDevice(const FakeOptions& options);
  virtual ~FakeDevice();
  FakeDevice(const FakeDevice&) = delete;
  FakeDevice& operator=(const FakeDevice&) = delete;

  virtual DeviceLookup lookup() const = 0;
  DeviceHandle handle() { return this; }
  DeviceDescription description() { return {options.number, "fake", handle(), lookup()}; }

  /// On an application thread: launches, waits for the end, and returns the operation with its times.
  Operation run(Operation operation);
  /// As run, without waiting.
  void launch(Operation operation);
  /// Waits for all; on AMD's devices it is this thread that completes the records of what was launched.
  void synchronize();
  /// The device's copy of the host's target event.
  virtual void target(ompt_scope_endpoint_t endpoint, ompt_id_t target_id) = 0;

  // the interface, as the entry points call it
  virtual ompt_set_result_t set_trace_ompt(bool on, unsigned type) = 0;
  virtual int start_trace(ompt_callback_buffer_request_t request, ompt_callback_buffer_complete_t complete) = 0;
  virtual int flush_trace() = 0;
  virtual int stop_trace() = 0;
  std::uint64_t time() const { return options.clock.at(VirtualClock::now()); }

  const FakeOptions options;
  std::atomic<std::uint64_t> delivered{0};   ///< records in completed ranges
  std::atomic<std::uint64_t> written{0};     ///< records that tracing was on for
  std::atomic<std::uint64_t> violations{0};  ///< of the interface's rules, by the tool
  std::atomic<std::uint64_t> faulty{0};      ///< records with a fault
  std::atomic<std::uint64_t> invalid{0};     ///< extra records that nobody can read
  std::atomic<std::uint64_t> questions{0};   ///< set_trace_ompt
  std::atomic<std::uint64_t> flushes{0}, stops{0};

 protected:
  /// Stops the queue; derived destructors call it before their members go.
  void shut_down();
  /// On the application thread, before the operation is queued.
  virtual void assign(Operation&, void*& slot) { slot = nullptr; }
  /// After its end: on the queue's thread, or on the one that synchronises.
  virtual void complete(const Operation& operation, void* slot) = 0;
  virtual bool completes_when_synchronized() const { return false; }
  /// The record of an operation, faults included.
  ompt_record_ompt_t record_of(const Operation& operation);
  bool every(unsigned n, std::atomic<std::uint64_t>& counter) { return n != 0 && ++counter % n == 0; }

  std::atomic<bool> tracing_{false};
  std::set<unsigned> enabled_;  // by plain type; under lock_
  mutable std::mutex lock_;
  ompt_callback_buffer_request_t request_ = nullptr;
  ompt_callback_buffer_complete_t complete_ = nullptr;

 private:
  struct Queued {
    Operation operation;
    void* slot;
    Operation* result;
    bool* done;
  };
  void execute();

  std::mutex queue_lock_;
  std::condition_variable queued_, finished_;
  std::deque<Queued> queue_;
  std::vector<Queued> unsynchronized_;
  bool busy_ = false, stopping_ = false;
  std::atomic<std::uint64_t> missing_{0}, reversed_{0}, wrong_{0}, unknown_{0};
  std::atomic<ompt_id_t> foreign_id_{0};
  std::map<std::uint64_t, ompt_id_t> last_submit_;  // by the id's channel: the runtime's is thread-local
  std::thread worker_;
};

/// By the specification's text: opaque cursors that begin at 0, standard and native records in one
/// buffer, whole buffers handed over owned, on a thread of their own.
std::unique_ptr<FakeDevice> make_standard_device(const FakeOptions& options);
/// As AMD's runtime: a buffer per host thread, ranges delivered not owned, records 112 bytes apart,
/// device number 0 in callbacks, no pause; crashes (here: counts) on a NULL buffer. A flush closes each buffer where it
/// stands; a stop ends the timing of copies of all devices, and forgets no buffer.
std::unique_ptr<FakeDevice> make_amd_device(const FakeOptions& options);
/// A library with device code is closed: AMD's runtime delivers what it has, and never again.
void unregister_amd_device(FakeDevice& device);
/// How often the type of a record was asked for since the last call: a lock of the process each time.
std::uint64_t amd_record_type_questions();

}  // namespace tracer::test
