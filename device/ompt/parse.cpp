// SPDX-License-Identifier: BSD-3-Clause
// Reads standard records by their type, native ones by their abstract description.
#include "device/ompt/parse.hpp"

#include <string_view>

#include "tracer/ompt_values.hpp"
#include "tracer/value_table.hpp"

namespace tracer::device::ompt {
namespace {

std::uint64_t address(const void* pointer) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

DeviceRecord blank(std::int32_t device) noexcept {
  DeviceRecord out{};
  out.device = device;
  out.source_device = out.destination_device = -1;
  out.provider = DeviceProviderKind::ompt;
  out.clock = DeviceClock::device;
  return out;
}

void take_target(const ompt_record_target_t& in, DeviceRecord& out) noexcept {
  out.kind = in.endpoint == ompt_scope_end ? DeviceRecordKind::target_end : DeviceRecordKind::target_begin;
  out.target_id = in.target_id ? in.target_id : out.target_id;
  out.codeptr = address(in.codeptr_ra);
  out.end = out.start;
}

DeviceRecordKind kind_of(ompt_target_data_op_t optype) noexcept {
  switch (optype) {
    case ompt_target_data_alloc:
    case ompt_target_data_alloc_async:
      return DeviceRecordKind::alloc;
    case ompt_target_data_delete:
    case ompt_target_data_delete_async:
      return DeviceRecordKind::free;
    case ompt_target_data_transfer_to_device:
    case ompt_target_data_transfer_to_device_async:
      return DeviceRecordKind::transfer_to_device;
    case ompt_target_data_transfer_from_device:
    case ompt_target_data_transfer_from_device_async:
      return DeviceRecordKind::transfer_from_device;
    default:
      break;
  }
  switch (static_cast<int>(optype)) {  // of OpenMP 6.0, and not in older headers
    case data_op::transfer:
    case data_op::transfer_async:
    case data_op::transfer_rect:
    case data_op::transfer_rect_async:
      return DeviceRecordKind::transfer_peer;
    case data_op::memset:
    case data_op::memset_async:
      return DeviceRecordKind::memset;
    default:
      return DeviceRecordKind::native;
  }
}

void take_data_op(const ompt_record_target_data_op_t& in, DeviceRecord& out, DeviceSink& sink) noexcept {
  out.kind = kind_of(in.optype);
  if (out.kind == DeviceRecordKind::native) {
    out.name = sink.intern(in.optype == ompt_target_data_associate      ? "associate"
                           : in.optype == ompt_target_data_disassociate ? "disassociate"
                                                                        : "target data operation");
  }
  out.end = in.end_time;
  out.host_op_id = in.host_op_id;
  out.bytes = in.bytes;
  out.source_address = address(in.src_addr);
  out.destination_address = address(in.dest_addr);
  out.source_device = in.src_device_num;
  out.destination_device = in.dest_device_num;
  // A transfer whose kind does not contain its direction: the host's number is none of a device's.
  if (out.kind == DeviceRecordKind::transfer_peer && in.src_device_num < 0)
    out.kind = DeviceRecordKind::transfer_to_device;
  if (out.kind == DeviceRecordKind::transfer_peer && in.dest_device_num < 0)
    out.kind = DeviceRecordKind::transfer_from_device;
  out.codeptr = address(in.codeptr_ra);
}

void take_kernel(const ompt_record_target_kernel_t& in, DeviceRecord& out) noexcept {
  out.kind = DeviceRecordKind::kernel;
  out.end = in.end_time;
  out.host_op_id = in.host_op_id;
  out.requested_teams = in.requested_num_teams;
  out.granted_teams = in.granted_num_teams;
}

/// What a device may trace besides target operations is kept as a named instant.
constexpr ValueTable<ompt_callbacks_t, std::string_view, 64> names_of_types{
    "device record",
    {{ompt_callback_thread_begin, "thread_begin"},
     {ompt_callback_thread_end, "thread_end"},
     {ompt_callback_parallel_begin, "parallel_begin"},
     {ompt_callback_parallel_end, "parallel_end"},
     {ompt_callback_task_create, "task_create"},
     {ompt_callback_task_schedule, "task_schedule"},
     {ompt_callback_implicit_task, "implicit_task"},
     {ompt_callback_control_tool, "control_tool"},
     {ompt_callback_sync_region_wait, "sync_region_wait"},
     {ompt_callback_mutex_released, "mutex_released"},
     {ompt_callback_dependences, "dependences"},
     {ompt_callback_task_dependence, "task_dependence"},
     {ompt_callback_work, "work"},
     {ompt_callback_masked, "masked"},
     {ompt_callback_target_map, "target_map"},
     {ompt_callback_target_map_emi, "target_map"},
     {ompt_callback_sync_region, "sync_region"},
     {ompt_callback_lock_init, "lock_init"},
     {ompt_callback_lock_destroy, "lock_destroy"},
     {ompt_callback_mutex_acquire, "mutex_acquire"},
     {ompt_callback_mutex_acquired, "mutex_acquired"},
     {ompt_callback_nest_lock, "nest_lock"},
     {ompt_callback_flush, "flush"},
     {ompt_callback_cancel, "cancel"},
     {ompt_callback_reduction, "reduction"},
     {ompt_callback_dispatch, "dispatch"}}};

bool convert_native(const EntryPoints& entry, const Range& range, ompt_buffer_cursor_t at, DeviceSink& sink,
                    DeviceRecord& out) noexcept {
  if (!entry.get_record_native || !entry.get_record_abstract) return false;
  ompt_id_t host_op_id = ompt_id_none;
  void* native = entry.get_record_native(range.buffer, at, &host_op_id);
  const ompt_record_abstract_t* abstract = native ? entry.get_record_abstract(native) : nullptr;
  if (!abstract) return false;
  out.kind = DeviceRecordKind::native;
  out.host_op_id = host_op_id;
  out.start = abstract->start_time;
  // a record of class info has no times that could be trusted
  out.end = abstract->rclass == ompt_record_native_event ? abstract->end_time : abstract->start_time;
  out.context = static_cast<std::uint32_t>(abstract->hwid);
  out.name = sink.intern(abstract->type ? abstract->type : "native record");
  return true;
}

bool read(const EntryPoints& entry, std::int32_t number, const Range& range, ompt_buffer_cursor_t at, DeviceSink& sink,
          DeviceRecord& out) noexcept {
  const auto type = entry.get_record_type ? entry.get_record_type(range.buffer, at) : ompt_record_ompt;
  out = blank(number);
  if (type == ompt_record_native) return convert_native(entry, range, at, sink, out);
  if (type != ompt_record_ompt || !entry.get_record_ompt) return false;
  const ompt_record_ompt_t* record = entry.get_record_ompt(range.buffer, at);
  if (!record) return false;
  out = convert(*record, number, sink);
  return true;
}

void note_times(const DeviceRecord& record, ParseCount& count) noexcept {
  if (record.start && (count.first == 0 || record.start < count.first)) count.first = record.start;
  if (record.end > count.last) count.last = record.end;
}

}  // namespace

DeviceRecord convert(const ompt_record_ompt_t& record, std::int32_t device, DeviceSink& sink) noexcept {
  DeviceRecord out = blank(device);
  out.start = record.time;
  out.thread_id = record.thread_id;
  out.target_id = record.target_id;
  switch (static_cast<int>(record.type)) {
    case ompt_callback_target:
    case ompt_callback_target_emi:
      take_target(record.record.target, out);
      break;
    case ompt_callback_target_data_op:
    case ompt_callback_target_data_op_emi:
      take_data_op(record.record.target_data_op, out, sink);
      break;
    case ompt_callback_target_submit:
    case ompt_callback_target_submit_emi:
      take_kernel(record.record.target_kernel, out);
      break;
    default:
      out.kind = DeviceRecordKind::native;
      out.end = out.start;
      out.name = sink.intern(names_of_types[record.type]);
  }
  return out;
}

ParseCount parse(const EntryPoints& entry, DeviceHandle device, std::int32_t number, const Range& range,
                 DeviceSink& sink, bool count_only) noexcept {
  ParseCount count;
  if (range.bytes == 0) return count;
  std::array<DeviceRecord, 64> batch;
  std::size_t filled = 0;
  auto at = range.begin;
  // a record has 8 bytes at least: a cursor that never ends does not hang the program
  for (std::size_t left = range.bytes / 8 + 1; left > 0; --left) {
    if (count_only) {
      ++count.unreadable;
    } else if (read(entry, number, range, at, sink, batch[filled])) {
      ++count.records;
      note_times(batch[filled], count);
      if (++filled == batch.size()) {
        sink.records({batch.data(), filled});
        filled = 0;
      }
    } else {
      ++count.unreadable;
    }
    ompt_buffer_cursor_t next = 0;
    if (!entry.advance_buffer_cursor(device, range.buffer, range.bytes, at, &next) || next == at) break;
    at = next;
  }
  if (filled) sink.records({batch.data(), filled});
  return count;
}

}  // namespace tracer::device::ompt
