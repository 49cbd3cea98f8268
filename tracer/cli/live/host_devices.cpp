// SPDX-License-Identifier: BSD-3-Clause
// See host_devices.hpp. The fields are those that the OMPT handlers write.
#include "tracer/cli/live/host_devices.hpp"

#include <algorithm>

#include "tracer/translate/regions/constructs.hpp"

namespace tracer::cli {
namespace {

using translate::Construct;

std::int32_t device_in(std::uint32_t half) {
  return static_cast<std::int16_t>(half);
}
bool begins(const Record& record) {
  return record.endpoint != Endpoint::end;
}
/// The callbacks of OpenMP before 5.1 come once.
bool ends(const Record& record) {
  return record.endpoint != Endpoint::begin;
}

}  // namespace

void HostDevices::begin_look(Ticks now) {
  from_ = now_;
  now_ = now;
  for (auto& [number, look] : looks_) {
    const std::uint64_t memory = look.memory;
    look = {};
    look.memory = memory;
    look.by_host = true;
  }
}

void HostDevices::had_in_use(std::int32_t device, const Allocations& memory) {
  allocations_[device] = memory;
  looks_[device].by_host = true;
  looks_[device].memory = memory.in_use();
}

DeviceLook& HostDevices::device(Thread& thread, std::int32_t number) {
  thread.used.insert(number);
  DeviceLook& look = looks_[number];
  look.by_host = true;
  return look;
}

void HostDevices::see(const raw::RingView& view) {
  Thread& thread = threads_[view.channel];
  if (view.first != thread.next) {  // a gap: what is open is not known
    thread.constructs.clear();
    thread.kernel_on = -1;
    thread.copy_since = 0;
  }
  const Record* first = nullptr;  // of two
  for (const Record& one : view.records) {
    if (first != nullptr) {
      if (first->kind == RecordKind::target_data_op) data_op(thread, *first, one);
      first = nullptr;
    } else if (one.kind == RecordKind::target_data_op || one.kind == RecordKind::target_map) {
      first = &one;
    } else {
      record(thread, one);
    }
  }
  // One that goes on counts up to now, and from now on at the next look.
  if (thread.kernel_on >= 0) {
    DeviceLook& look = device(thread, thread.kernel_on);
    const auto open = static_cast<double>(now_ - std::min(now_, std::max(from_, thread.kernel_since)));
    look.kernel_time += open;
    look.open_time += open;
  }
  for (const std::int32_t number : thread.used) ++looks_[number].streams;
  thread.used.clear();
  thread.next = view.head;
}

void HostDevices::record(Thread& thread, const Record& record) {
  if (record.kind == RecordKind::target_submit) return submit(thread, record);
  if (record.kind != RecordKind::target) return;
  if (record.endpoint == Endpoint::begin) thread.constructs.push_back({record.b, static_cast<std::int32_t>(record.a)});
  if (!ends(record)) return;
  end_kernel(thread, record.time);
  const auto found = std::find_if(thread.constructs.begin(), thread.constructs.end(),
                                  [&](const auto& one) { return one.id == record.b; });
  thread.constructs.erase(found, thread.constructs.end());
}

/// It runs until its thread goes on: copies something, launches another, or leaves the construct.
void HostDevices::submit(Thread& thread, const Record& record) {
  if (!begins(record) || thread.constructs.empty() || thread.constructs.back().device < 0) return;
  end_kernel(thread, record.time);
  thread.kernel_on = thread.constructs.back().device;
  thread.kernel_since = record.time;
  ++device(thread, thread.kernel_on).kernels;
}

void HostDevices::end_kernel(Thread& thread, Ticks time) {
  if (thread.kernel_on < 0) return;
  const Ticks since = std::max(from_, thread.kernel_since);
  device(thread, thread.kernel_on).kernel_time += static_cast<double>(time - std::min(time, since));
  thread.kernel_on = -1;
}

void HostDevices::data_op(Thread& thread, const Record& record, const Record& more) {
  if (begins(record)) end_kernel(thread, record.time);
  const Construct what = translate::data_op_construct(record.sub);
  const bool of_source = what == Construct::data_from_device || what == Construct::data_delete;
  const std::int32_t number = device_in(of_source ? record.a & 0xffff : record.a >> 16);
  if (number < 0) return;
  DeviceLook& look = device(thread, number);
  Allocations& memory = allocations_[number];
  switch (what) {
    case Construct::data_alloc:  // its address is known at its end
      if (ends(record)) memory.allocated(more.b, record.c);
      break;
    case Construct::data_delete:
      if (begins(record)) memory.freed(more.time);
      break;
    case Construct::data_to_device:
    case Construct::data_from_device:
      if (begins(record)) {
        ++look.copies;
        (of_source ? look.from : look.to) += record.c;
        thread.copy_since = record.time;
      } else if (thread.copy_since != 0) {
        look.copy_time += static_cast<double>(record.time - std::min(record.time, thread.copy_since));
        thread.copy_since = 0;
      }
      break;
    default:
      break;
  }
  look.memory = memory.in_use();
}

}  // namespace tracer::cli
