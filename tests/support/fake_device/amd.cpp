// SPDX-License-Identifier: BSD-3-Clause
// The personality of AMD's runtime, as its source and its users describe it.
#include <algorithm>
#include <cstring>

#include "support/fake_device/fake_device.hpp"

namespace tracer::test {
namespace {

constexpr std::size_t stride = 112;
static_assert(sizeof(ompt_record_ompt_t) <= stride);

/// Cursors are addresses. The end of a range is known only while its callback runs.
std::mutex last_lock;
std::multiset<ompt_buffer_cursor_t> last_cursors;
std::set<ompt_buffer_cursor_t> readable;
std::atomic<std::uint64_t> type_questions{0};
std::atomic<std::uint64_t> reads_outside_callback{0};
/// hsa_amd_profiling_async_copy_enable is the process's: a stop of one device ends it for all.
std::atomic<bool> copies_are_timed{false};

enum class State { init, ready, released };
struct Buffer {
  char* start;
  std::size_t bytes;
  std::vector<std::unique_ptr<std::atomic<State>>> records;
  std::atomic<bool> full{false};
  /// The end that a flush has closed the buffer at: what is behind it is delivered when the buffer is full.
  std::size_t closed_at = open;
  static constexpr std::size_t open = ~std::size_t{0};
};

class AmdDevice final : public FakeDevice {
 public:
  explicit AmdDevice(const FakeOptions& o) : FakeDevice(o), helper_([this] { help(); }) {}
  ~AmdDevice() override {
    shut_down();
    {
      const std::lock_guard lock(lock_);
      stopping_ = true;
    }
    changed_.notify_all();
    if (helper_.joinable()) helper_.join();
    violations += reads_outside_callback.exchange(0);
  }
  DeviceLookup lookup() const override;

  ompt_set_result_t set_trace_ompt(bool on, unsigned type) override {
    ++questions;
    const std::lock_guard lock(lock_);
    const auto set = [&](unsigned t) {
      const bool changes = on ? enabled_.insert(t).second : enabled_.erase(t) != 0;
      if (changes && tracing_) ++violations;  // an assertion since 2026: what is traced does not change during the run
    };
    switch (type) {
      case 0:
        return set(8), set(9), set(10), ompt_set_sometimes;
      case 8:
      case 33:
        return set(8), ompt_set_always;
      case 9:
      case 34:
        return set(9), ompt_set_always;
      case 10:
      case 35:
        return options.faults.no_kernels ? ompt_set_never : (set(10), ompt_set_always);
      default:
        return on ? ompt_set_never : ompt_set_always;
    }
  }
  int start_trace(ompt_callback_buffer_request_t on_request, ompt_callback_buffer_complete_t on_complete) override {
    if (options.faults.no_start || !on_request || !on_complete) return 0;
    const std::lock_guard lock(lock_);
    request_ = on_request;
    complete_ = on_complete;
    by_thread_.erase(std::this_thread::get_id());
    copies_are_timed = true;
    tracing_ = true;
    return 1;
  }
  int flush_trace() override {
    ++flushes;
    std::unique_lock lock(lock_);
    if (std::this_thread::get_id() == helper_.get_id()) return ++violations, 0;
    if (unregistered_) return 0;
    for (const auto& buffer : buffers_)
      if (buffer->closed_at == Buffer::open) buffer->closed_at = buffer->records.size();
    const auto wanted = ++flush_wanted_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return flush_done_ >= wanted || stopping_; });
    return 1;
  }
  /// What is undelivered is dropped; the buffers are not forgotten, and threads go on in them after a restart.
  int stop_trace() override {
    ++stops;
    std::unique_lock lock(lock_);
    changed_.wait(lock, [&] { return !delivering_; });
    tracing_ = false;
    copies_are_timed = false;
    for (const auto& buffer : buffers_) buffer->closed_at = buffer->records.size();
    if (options.faults.late_completion && !buffers_.empty()) {
      complete_(0, buffers_.front()->start, 0, 0, 1);
      complete_(0, buffers_.front()->start, 0, 0, 1);
    }
    return 1;
  }
  void unregister() {
    flush_trace();
    {
      const std::lock_guard lock(lock_);
      unregistered_ = stopping_ = true;
    }
    changed_.notify_all();
    helper_.join();
  }

  void target(ompt_scope_endpoint_t endpoint, ompt_id_t target_id) override {
    ompt_record_ompt_t r{};
    r.type = ompt_callback_target;
    r.time = 0;
    r.thread_id = std::hash<std::thread::id>{}(std::this_thread::get_id());
    r.target_id = target_id;
    r.record.target = {ompt_target, endpoint, options.number, 0, target_id, nullptr};
    void* slot = next_slot(8);
    if (!slot) return;
    std::memcpy(slot, &r, sizeof r);
    set_ready(slot);
  }

 protected:
  void assign(Operation& op, void*& slot) override {
    op.thread_id = std::hash<std::thread::id>{}(std::this_thread::get_id());
    slot = next_slot(op.type);
  }
  void complete(const Operation& op, void* slot) override {
    if (!slot) return;
    auto record = record_of(op);
    const bool is_copy =
        op.type == ompt_callback_target_data_op &&
        (op.optype == ompt_target_data_transfer_to_device || op.optype == ompt_target_data_transfer_from_device);
    if (is_copy && !copies_are_timed) record.time = record.record.target_data_op.end_time = 0;
    std::memcpy(slot, &record, sizeof record);
    set_ready(slot);
  }
  bool completes_when_synchronized() const override { return true; }

 private:
  void* next_slot(unsigned type) {
    std::unique_lock lock(lock_);
    if (!tracing_ || !enabled_.count(type) || options.faults.silent) return nullptr;
    auto& buffer = by_thread_[std::this_thread::get_id()];
    if (!buffer || (buffer->records.size() + 1) * stride > buffer->bytes) {
      if (buffer) buffer->full = true;
      void* memory = nullptr;
      std::size_t bytes = 0;
      lock.unlock();
      request_(0, &memory, &bytes);  // on the application's thread, the device's number is 0
      lock.lock();
      if (!memory) return violations += !options.faults.null_again, nullptr;
      auto fresh = std::make_shared<Buffer>();
      fresh->start = static_cast<char*>(memory);
      fresh->bytes = bytes;
      by_thread_[std::this_thread::get_id()] = fresh;
      buffers_.push_back(fresh);
      changed_.notify_all();
    }
    auto& current = by_thread_[std::this_thread::get_id()];
    void* slot = current->start + current->records.size() * stride;
    current->records.push_back(std::make_unique<std::atomic<State>>(State::init));
    slots_[slot] = current->records.back().get();
    ++written;
    return slot;
  }
  void set_ready(void* slot) {
    const std::lock_guard lock(lock_);
    const auto it = slots_.find(slot);
    if (it == slots_.end()) return;
    it->second->store(State::ready);
    slots_.erase(it);
  }

  /// Spins as long as a buffer is closed with records in it that are not complete, as the real one does.
  void help() {
    std::unique_lock lock(lock_);
    for (;;) {
      changed_.wait_for(lock, std::chrono::milliseconds(1),
                        [&] { return stopping_ || flush_wanted_ > flush_done_ || has_full(); });
      if (stopping_) return;
      const auto wanted = flush_wanted_;
      const auto buffers = buffers_;
      delivering_ = true;
      bool all_ready = true;
      lock.unlock();
      for (const auto& buffer : buffers) all_ready = deliver(*buffer) && all_ready;
      lock.lock();
      for (const auto& buffer : buffers) give_back_if_done(buffer, lock);
      delivering_ = false;
      if (all_ready || !options.faults.flush_waits) flush_done_ = wanted;
      changed_.notify_all();
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
  }
  bool has_full() const {
    for (const auto& b : buffers_)
      if (b->full) return true;
    return false;
  }
  /// How many of its records may be delivered.
  std::size_t count_of(const Buffer& buffer) {
    const std::lock_guard lock(lock_);
    if (buffer.full) return buffer.records.size();
    return buffer.closed_at == Buffer::open ? 0 : buffer.closed_at;
  }
  std::atomic<State>& state_of(const Buffer& buffer, std::size_t i) {
    const std::lock_guard lock(lock_);
    return *buffer.records[i];
  }

  /// Ranges of what is ready; what is not stays for another time. False: there was something.
  bool deliver(const Buffer& buffer) {
    const auto n = count_of(buffer);
    bool all = true;
    for (std::size_t i = 0; i < n;) {
      std::size_t last = i;
      while (last < n && state_of(buffer, last).load() == State::ready) state_of(buffer, last++).store(State::released);
      if (last == i) {
        all = all && state_of(buffer, i).load() == State::released;
        ++i;
        continue;
      }
      hand_over(buffer, i, last - 1);
      i = last;
    }
    return all;
  }
  void hand_over(const Buffer& buffer, std::size_t first, std::size_t last) {
    const auto begin = reinterpret_cast<ompt_buffer_cursor_t>(buffer.start + first * stride);
    const auto end = reinterpret_cast<ompt_buffer_cursor_t>(buffer.start + last * stride);
    {
      const std::lock_guard lock(last_lock);
      last_cursors.insert(end);
      for (auto c = begin; c <= end; c += stride) readable.insert(c);
    }
    delivered += last - first + 1;
    complete_(0, buffer.start, (last - first + 1) * stride, begin, 0);
    const std::lock_guard lock(last_lock);
    last_cursors.erase(last_cursors.find(end));
    for (auto c = begin; c <= end; c += stride) readable.erase(c);
  }
  /// Ownership comes back only for a buffer that became full, with nothing in it.
  void give_back_if_done(const std::shared_ptr<Buffer>& buffer, std::unique_lock<std::mutex>& lock) {
    if (!buffer->full) return;
    for (const auto& state : buffer->records)
      if (state->load() != State::released) return;
    const auto it = std::find(buffers_.begin(), buffers_.end(), buffer);
    if (it == buffers_.end()) return;
    buffers_.erase(it);
    lock.unlock();
    complete_(0, buffer->start, 0, 0, 1);
    lock.lock();
  }

  std::vector<std::shared_ptr<Buffer>> buffers_;
  std::map<std::thread::id, std::shared_ptr<Buffer>> by_thread_;
  std::map<void*, std::atomic<State>*> slots_;
  std::uint64_t flush_wanted_ = 0, flush_done_ = 0;
  bool stopping_ = false, delivering_ = false, unregistered_ = false;
  std::condition_variable changed_;
  std::thread helper_;
};

AmdDevice& self(ompt_device_t* device) {
  return *static_cast<AmdDevice*>(static_cast<FakeDevice*>(device));
}

ompt_device_time_t device_time(ompt_device_t* d) {
  return self(d).time();
}
double translate(ompt_device_t*, ompt_device_time_t t) {
  return static_cast<double>(t) * 1e-9;
}
ompt_set_result_t set_ompt(ompt_device_t* d, unsigned on, unsigned type) {
  return d ? self(d).set_trace_ompt(on, type) : ompt_set_never;
}
int start(ompt_device_t* d, ompt_callback_buffer_request_t r, ompt_callback_buffer_complete_t c) {
  return self(d).start_trace(r, c);
}
int flush(ompt_device_t* d) {
  return self(d).flush_trace();
}
int stop(ompt_device_t* d) {
  return self(d).stop_trace();
}
int advance(ompt_device_t*, ompt_buffer_t*, std::size_t, ompt_buffer_cursor_t at, ompt_buffer_cursor_t* next) {
  const std::lock_guard lock(last_lock);
  if (at == 0 || last_cursors.count(at)) return *next = 0, 0;
  if (!readable.count(at)) return ++reads_outside_callback, *next = 0, 0;
  *next = at + stride;
  return 1;
}
ompt_record_t record_type(ompt_buffer_t*, ompt_buffer_cursor_t) {
  const std::lock_guard lock(last_lock);
  ++type_questions;
  return ompt_record_ompt;
}
ompt_record_ompt_t* record_ompt(ompt_buffer_t*, ompt_buffer_cursor_t at) {
  const std::lock_guard lock(last_lock);
  if (at != 0 && !readable.count(at)) ++reads_outside_callback;
  return reinterpret_cast<ompt_record_ompt_t*>(at);
}

template <typename Function>
ompt_interface_fn_t as_interface(Function* f) {
  return reinterpret_cast<ompt_interface_fn_t>(f);
}

ompt_interface_fn_t find(const char* name) {
  static const std::map<std::string, ompt_interface_fn_t> table{{"ompt_get_device_time", as_interface(device_time)},
                                                                {"ompt_translate_time", as_interface(translate)},
                                                                {"ompt_set_trace_ompt", as_interface(set_ompt)},
                                                                {"ompt_start_trace", as_interface(start)},
                                                                {"ompt_flush_trace", as_interface(flush)},
                                                                {"ompt_stop_trace", as_interface(stop)},
                                                                {"ompt_advance_buffer_cursor", as_interface(advance)},
                                                                {"ompt_get_record_type", as_interface(record_type)},
                                                                {"ompt_get_record_ompt", as_interface(record_ompt)}};
  const auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

DeviceLookup AmdDevice::lookup() const {
  return &find;
}

}  // namespace

std::unique_ptr<FakeDevice> make_amd_device(const FakeOptions& options) {
  return std::make_unique<AmdDevice>(options);
}
void unregister_amd_device(FakeDevice& device) {
  static_cast<AmdDevice&>(device).unregister();
}
std::uint64_t amd_record_type_questions() {
  return type_questions.exchange(0);
}

}  // namespace tracer::test
