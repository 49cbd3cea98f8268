// SPDX-License-Identifier: BSD-3-Clause
// The queue of a fake device, and records with faults.
#include "support/fake_device/fake_device.hpp"

namespace tracer::test {

FakeDevice::FakeDevice(const FakeOptions& o) : options(o), worker_([this] { execute(); }) {}
FakeDevice::~FakeDevice() {
  shut_down();
}

void FakeDevice::shut_down() {
  {
    const std::lock_guard lock(queue_lock_);
    stopping_ = true;
  }
  queued_.notify_all();
  if (worker_.joinable()) worker_.join();
}

void FakeDevice::execute() {
  std::unique_lock lock(queue_lock_);
  for (;;) {
    queued_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto next = queue_.front();
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    next.operation.start = VirtualClock::now();
    VirtualClock::advance(next.operation.duration);
    next.operation.end = VirtualClock::now();
    const bool later = !next.done && completes_when_synchronized();
    if (!later) complete(next.operation, next.slot);
    lock.lock();
    if (later) unsynchronized_.push_back(next);
    busy_ = false;
    if (next.result) *next.result = next.operation;
    if (next.done) *next.done = true;
    finished_.notify_all();
  }
}

Operation FakeDevice::run(Operation operation) {
  void* slot = nullptr;
  assign(operation, slot);
  bool done = false;
  Operation result;
  std::unique_lock lock(queue_lock_);
  queue_.push_back({operation, slot, &result, &done});
  queued_.notify_one();
  finished_.wait(lock, [&] { return done; });
  return result;
}

void FakeDevice::launch(Operation operation) {
  void* slot = nullptr;
  assign(operation, slot);
  const std::lock_guard lock(queue_lock_);
  queue_.push_back({operation, slot, nullptr, nullptr});
  queued_.notify_one();
}

void FakeDevice::synchronize() {
  std::unique_lock lock(queue_lock_);
  finished_.wait(lock, [&] { return queue_.empty() && !busy_; });
  const auto done = std::move(unsynchronized_);
  unsynchronized_.clear();
  lock.unlock();
  for (const auto& one : done) complete(one.operation, one.slot);
}

ompt_record_ompt_t FakeDevice::record_of(const Operation& op) {
  ompt_record_ompt_t r{};
  r.type = op.type;
  r.time = options.clock.at(op.start);
  auto end = options.clock.at(op.end);
  r.thread_id = op.thread_id;
  r.target_id = op.target_id;
  auto id = op.host_op_id;
  const auto& f = options.faults;
  const bool is_data = op.type == ompt_callback_target_data_op;
  const bool is_transfer = is_data && (op.optype == ompt_target_data_transfer_to_device ||
                                       op.optype == ompt_target_data_transfer_from_device);
  auto& last_submit = last_submit_[id >> 40];
  if (!is_data) last_submit = id;
  if (every(f.missing_times, missing_))
    ++faulty, r.time = end = 0;
  else if (every(f.end_before_begin, reversed_))
    ++faulty, std::swap(r.time, end);
  if (is_transfer && last_submit != 0 && every(f.wrong_host_op, wrong_))
    ++faulty, id = last_submit;
  else if (every(f.unknown_host_op, unknown_))
    ++faulty, id = 0x7777'0000'0000'0000u + ++foreign_id_;
  if (is_data) {
    r.record.target_data_op = {id,
                               op.optype,
                               reinterpret_cast<void*>(op.source),
                               op.source_device,
                               reinterpret_cast<void*>(op.destination),
                               op.destination_device,
                               op.bytes,
                               end,
                               nullptr};
  } else {
    r.record.target_kernel = {id, op.requested_teams, op.granted_teams, end};
  }
  return r;
}

}  // namespace tracer::test
