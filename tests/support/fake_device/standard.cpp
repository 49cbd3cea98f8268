// SPDX-License-Identifier: BSD-3-Clause
// The personality that follows the specification's text.
#include <cstring>

#include "support/fake_device/fake_device.hpp"

namespace tracer::test {
namespace {

/// Entries lie behind each other; a cursor is an entry's offset, so that the first one is 0.
struct Entry {
  std::uint32_t size;
  std::uint32_t type;  // ompt_record_t
};
struct Native {
  ompt_id_t host_op_id;
  ompt_record_abstract_t abstract;
  bool described;
};

class StandardDevice final : public FakeDevice {
 public:
  explicit StandardDevice(const FakeOptions& o) : FakeDevice(o), tracer_([this] { deliver(); }) {}
  ~StandardDevice() override {
    shut_down();
    {
      const std::lock_guard lock(lock_);
      stopping_ = true;
    }
    changed_.notify_all();
    tracer_.join();
  }
  DeviceLookup lookup() const override;

  void target(ompt_scope_endpoint_t endpoint, ompt_id_t target_id) override {
    ompt_record_ompt_t r{};
    r.type = ompt_callback_target;
    r.time = time();
    r.target_id = target_id;
    r.record.target = {ompt_target, endpoint, options.number, 0, target_id, nullptr};
    const std::lock_guard lock(lock_);
    if (is_on(ompt_callback_target)) append(ompt_record_ompt, &r, sizeof r);
  }

  ompt_set_result_t set_trace_ompt(bool on, unsigned type) override {
    const std::lock_guard lock(lock_);
    if (type == 0) return ompt_set_never;
    const bool kernel = type == ompt_callback_target_submit || type == 35;
    if (kernel && (options.faults.no_kernels || options.native_kernels)) return ompt_set_never;
    if (type != 8 && type != 9 && type != 10) return ompt_set_never;
    if (on)
      enabled_.insert(type);
    else
      enabled_.erase(type);
    return ompt_set_always;
  }
  ompt_set_result_t set_trace_native(int on, int flags) {
    const std::lock_guard lock(lock_);
    native_ = on ? flags : 0;
    return ompt_set_sometimes;
  }
  int start_trace(ompt_callback_buffer_request_t on_request, ompt_callback_buffer_complete_t on_complete) override {
    if (options.faults.no_start) return 0;
    const std::lock_guard lock(lock_);
    request_ = on_request;
    complete_ = on_complete;
    tracing_ = true;
    return 1;
  }
  int pause_trace(int begin) {
    const std::lock_guard lock(lock_);
    paused_ = begin != 0;
    return 1;
  }
  int flush_trace() override {
    ++flushes;
    std::unique_lock lock(lock_);
    if (std::this_thread::get_id() == tracer_.get_id()) return ++violations, 0;
    retire();
    changed_.notify_all();
    changed_.wait(lock, [&] { return ready_.empty() && !delivering_; });
    return 1;
  }
  int stop_trace() override {
    ++stops;
    flush_trace();
    const std::lock_guard lock(lock_);
    tracing_ = false;
    if (options.faults.late_completion && last_) complete_(options.number, last_, 8, 0, 1);
    return 1;
  }

 protected:
  void complete(const Operation& op, void*) override {
    const auto record = record_of(op);
    const bool is_kernel = op.type == ompt_callback_target_submit;
    const std::lock_guard lock(lock_);
    if (is_kernel && options.native_kernels) {
      if (tracing_ && !paused_ && (native_ & ompt_native_kernel_execution)) append_native(record, op);
    } else if (is_on(op.type)) {
      append(ompt_record_ompt, &record, sizeof record);
    }
    add_unreadable();
  }

 private:
  bool is_on(unsigned type) const { return tracing_ && !paused_ && enabled_.count(type); }

  void append_native(const ompt_record_ompt_t& record, const Operation&) {
    Native native{};
    native.host_op_id = record.record.target_kernel.host_op_id;
    native.abstract = {ompt_record_native_event, "kernel_execution", record.time, record.record.target_kernel.end_time,
                       7};
    native.described = true;
    append(ompt_record_native, &native, sizeof native);
  }
  void add_unreadable() {
    if (!tracing_ || paused_) return;
    if (every(options.faults.invalid_records, invalid_count_)) {
      ++invalid;
      const std::uint64_t nothing = 0;
      append(ompt_record_invalid, &nothing, sizeof nothing);
    }
    if (every(options.faults.without_abstract, abstract_count_)) {
      ++invalid;
      const Native native{};
      append(ompt_record_native, &native, sizeof native);
    }
  }

  void append(ompt_record_t type, const void* payload, std::size_t bytes) {
    if (options.faults.silent) return;
    const std::size_t size = sizeof(Entry) + (bytes + 7) / 8 * 8;
    if (buffer_ && used_ + size > size_) retire();
    if (!buffer_) {
      request_(options.number, &buffer_, &size_);
      used_ = 0;
      if (!buffer_ || size_ < size) {
        if (!buffer_) ++violations;
        buffer_ = nullptr;
        return;
      }
    }
    auto* at = static_cast<char*>(buffer_) + used_;
    const Entry entry{static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(type)};
    std::memcpy(at, &entry, sizeof entry);
    std::memcpy(at + sizeof entry, payload, bytes);
    used_ += size;
    ++records_;
    ++written;
  }
  void retire() {
    if (!buffer_) return;
    ready_.push_back({buffer_, used_, records_});
    buffer_ = nullptr;
    records_ = 0;
    changed_.notify_all();
  }

  void deliver() {
    std::unique_lock lock(lock_);
    for (;;) {
      changed_.wait(lock, [&] { return stopping_ || !ready_.empty(); });
      if (ready_.empty()) return;
      const auto next = ready_.front();
      ready_.pop_front();
      delivering_ = true;
      last_ = next.buffer;
      lock.unlock();
      delivered += next.records;
      complete_(options.number, next.buffer, next.bytes, 0, 1);
      lock.lock();
      delivering_ = false;
      changed_.notify_all();
    }
  }

  struct Ready {
    void* buffer;
    std::size_t bytes;
    std::uint64_t records;
  };
  int native_ = 0;
  bool paused_ = false, stopping_ = false, delivering_ = false;
  void* buffer_ = nullptr;
  void* last_ = nullptr;
  std::size_t size_ = 0, used_ = 0;
  std::uint64_t records_ = 0;
  std::atomic<std::uint64_t> invalid_count_{0}, abstract_count_{0};
  std::deque<Ready> ready_;
  std::condition_variable changed_;
  std::thread tracer_;
};

StandardDevice& self(ompt_device_t* device) {
  return *static_cast<StandardDevice*>(static_cast<FakeDevice*>(device));
}
const Entry& entry_at(void* buffer, ompt_buffer_cursor_t at) {
  return *reinterpret_cast<const Entry*>(static_cast<char*>(buffer) + at);
}
char* payload_at(void* buffer, ompt_buffer_cursor_t at) {
  return static_cast<char*>(buffer) + at + sizeof(Entry);
}

int num_procs(ompt_device_t*) {
  return 108;
}
ompt_device_time_t device_time(ompt_device_t* d) {
  return self(d).time();
}
double translate(ompt_device_t* d, ompt_device_time_t t) {
  return self(d).options.clock.host_of(t);
}
ompt_set_result_t set_ompt(ompt_device_t* d, unsigned on, unsigned type) {
  return self(d).set_trace_ompt(on, type);
}
ompt_set_result_t set_native(ompt_device_t* d, int on, int flags) {
  return self(d).set_trace_native(on, flags);
}
void limits(ompt_device_t*, int* allocs, std::size_t* bytes) {
  *allocs = 4, *bytes = 65536;
}
int start(ompt_device_t* d, ompt_callback_buffer_request_t r, ompt_callback_buffer_complete_t c) {
  return self(d).start_trace(r, c);
}
int pause(ompt_device_t* d, int begin) {
  return self(d).pause_trace(begin);
}
int flush(ompt_device_t* d) {
  return self(d).flush_trace();
}
int stop(ompt_device_t* d) {
  return self(d).stop_trace();
}
int advance(ompt_device_t*, ompt_buffer_t* buffer, std::size_t size, ompt_buffer_cursor_t at,
            ompt_buffer_cursor_t* next) {
  *next = at + entry_at(buffer, at).size;
  return *next < size;
}
ompt_record_t record_type(ompt_buffer_t* buffer, ompt_buffer_cursor_t at) {
  return static_cast<ompt_record_t>(entry_at(buffer, at).type);
}
ompt_record_ompt_t* record_ompt(ompt_buffer_t* buffer, ompt_buffer_cursor_t at) {
  return reinterpret_cast<ompt_record_ompt_t*>(payload_at(buffer, at));
}
void* record_native(ompt_buffer_t* buffer, ompt_buffer_cursor_t at, ompt_id_t* host_op_id) {
  auto* native = reinterpret_cast<Native*>(payload_at(buffer, at));
  *host_op_id = native->host_op_id;
  return native;
}
ompt_record_abstract_t* record_abstract(void* native) {
  auto* n = static_cast<Native*>(native);
  return n->described ? &n->abstract : nullptr;
}

template <typename Function>
ompt_interface_fn_t as_interface(Function* f) {
  return reinterpret_cast<ompt_interface_fn_t>(f);
}

ompt_interface_fn_t find(const char* name) {
  static const std::map<std::string, ompt_interface_fn_t> table{
      {"ompt_get_device_num_procs", as_interface(num_procs)},
      {"ompt_get_device_time", as_interface(device_time)},
      {"ompt_translate_time", as_interface(translate)},
      {"ompt_set_trace_ompt", as_interface(set_ompt)},
      {"ompt_set_trace_native", as_interface(set_native)},
      {"ompt_get_buffer_limits", as_interface(limits)},
      {"ompt_start_trace", as_interface(start)},
      {"ompt_pause_trace", as_interface(pause)},
      {"ompt_flush_trace", as_interface(flush)},
      {"ompt_stop_trace", as_interface(stop)},
      {"ompt_advance_buffer_cursor", as_interface(advance)},
      {"ompt_get_record_type", as_interface(record_type)},
      {"ompt_get_record_ompt", as_interface(record_ompt)},
      {"ompt_get_record_native", as_interface(record_native)},
      {"ompt_get_record_abstract", as_interface(record_abstract)}};
  const auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}
ompt_interface_fn_t find_without_clock(const char* name) {
  return std::strcmp(name, "ompt_get_device_time") == 0 ? nullptr : find(name);
}

DeviceLookup StandardDevice::lookup() const {
  return options.can_read_clock ? &find : &find_without_clock;
}

}  // namespace

std::unique_ptr<FakeDevice> make_standard_device(const FakeOptions& options) {
  return std::make_unique<StandardDevice>(options);
}

}  // namespace tracer::test
