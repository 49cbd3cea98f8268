// SPDX-License-Identifier: BSD-3-Clause
// Activity records of memory: allocations, pools, and what the driver does for unified memory.
#include <cstdint>

#include "device/cupti/convert.hpp"

namespace tracer::device::cupti {

/// Memory of the device only: pinned and pageable host memory is not its own.
void Converter::take_memory(const Memory& in) {
  const bool is_device = in.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE ||
                         in.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_ARRAY ||
                         in.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  if (!is_device) return;
  const bool release = in.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  auto out = blank(in.deviceId, release ? DeviceRecordKind::free : DeviceRecordKind::alloc);
  out.start = out.end = in.timestamp;
  out.bytes = in.bytes;
  out.stream = in.streamId;
  out.context = in.contextId;
  out.correlation = in.correlationId;
  out.codeptr = in.PC;
  (release ? out.source_address : out.destination_address) = in.address;
  put(out);
  const auto pool = in.memoryPoolConfig;
  if (in.isAsync != 0 && pool.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL)
    put_pool(in.deviceId, in.timestamp, {pool.address, pool.pool.size, pool.utilizedSize});
}

/// Of an operation that is the program's own, and of no construct.
void Converter::put_pool(std::uint32_t cuda_device, std::uint64_t time, const PoolSize& pool) {
  auto out = blank(cuda_device, DeviceRecordKind::memory_pool);
  out.start = out.end = time;
  out.source_address = pool.address;
  out.bytes = pool.reserved;
  out.destination_address = pool.in_use;
  put(out);
}

/// Another process' pool is counted there.
void Converter::take_pool(const Pool& in) {
  if (in.memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) return;
  const bool is_gone = in.memoryPoolOperationType == CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED;
  put_pool(in.deviceId, in.timestamp, {in.address, is_gone ? 0 : in.size, is_gone ? 0 : in.utilizedSize});
}

void Converter::put_migration(const UnifiedMemory& in, DeviceRecordKind kind, std::uint32_t cuda_device) {
  if (cuda_device == CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID) return sink_.count("device.records_without_device", 1);
  auto out = blank(cuda_device, kind);
  out.start = in.start;
  out.end = in.end;
  out.stream = no_stream;
  out.bytes = in.value;
  (kind == DeviceRecordKind::migration_to_device ? out.destination_address : out.source_address) = in.address;
  put(out);
}

void Converter::put_device_faults(const UnifiedMemory& in) {
  if (in.srcId == CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID) return sink_.count("device.records_without_device", 1);
  auto out = blank(in.srcId, DeviceRecordKind::page_faults);
  out.start = in.start;
  out.end = in.end;
  out.bytes = in.value != 0 ? in.value : 1;
  out.source_address = in.address;
  out.source_device = out.device;
  put(out);
}

/// The record names no device, and has the instruction for a value.
void Converter::put_host_fault(const UnifiedMemory& in) {
  auto out = timed_record(DeviceRecordKind::page_faults);
  out.start = out.end = in.start;
  out.bytes = 1;
  out.source_address = in.address;
  out.codeptr = in.value;
  put_of_context(out, any_context);
}

void Converter::take_unified_memory(const UnifiedMemory& in) {
  switch (in.counterKind) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD:
      return put_migration(in, DeviceRecordKind::migration_to_device, in.dstId);
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
      return put_migration(in, DeviceRecordKind::migration_from_device, in.srcId);
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
      return put_device_faults(in);
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT:
      return put_host_fault(in);
    default:
      sink_.count("device.cupti_kinds_ignored", 1);
  }
}

}  // namespace tracer::device::cupti
