// SPDX-License-Identifier: BSD-3-Clause
// One function per kind of activity record (device/cupti/layout.hpp).
#include "device/cupti/convert.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "device/cupti/api.hpp"
#include "tracer/base/text.hpp"
#include "tracer/kernel_shape.hpp"

namespace tracer::device::cupti {
namespace {

constexpr std::size_t batch_size = 256;
/// Calls whose operations are still to come, and records whose device is.
constexpr std::size_t most_remembered = 1 << 16;

std::string name_of(const char* prefix, const CUuuid& uuid) {
  std::string digits = hexadecimal(std::span(reinterpret_cast<const unsigned char*>(uuid.bytes), sizeof uuid.bytes));
  for (const std::size_t dash : {20, 16, 12, 8}) digits.insert(dash, 1, '-');
  return prefix + digits;
}

// Not in every header.
constexpr unsigned runtime_triggered_module_loading = 4u << 16, lazy_function_loading = 5u << 16,
                   command_buffer_full = 6u << 16;

const char* name_of(CUpti_ActivityOverheadKind kind) noexcept {
  switch (static_cast<unsigned>(kind)) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "driver compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "CUPTI buffer flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "CUPTI instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "CUPTI resource";
    case runtime_triggered_module_loading:
      return "module loading";
    case lazy_function_loading:
      return "lazy function loading";
    case command_buffer_full:
      return "command buffer full";
    default:
      return "CUPTI overhead";
  }
}

const char* name_of(CUpti_ActivitySynchronizationType type) noexcept {
  switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      return "event synchronize";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      return "stream wait event";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      return "stream synchronize";
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      return "context synchronize";
    default:
      return "synchronize";
  }
}

template <typename Record>
const Record& as(const CUpti_Activity& activity) noexcept {
  return reinterpret_cast<const Record&>(activity);
}

DeviceRecord nobodys_record(DeviceRecordKind kind) noexcept {
  DeviceRecord out{};
  out.device = out.source_device = out.destination_device = -1;
  out.kind = kind;
  out.provider = DeviceProviderKind::cupti;
  return out;
}

}  // namespace

DeviceRecord timed_record(DeviceRecordKind kind) noexcept {
  DeviceRecord out = nobodys_record(kind);
  out.clock = DeviceClock::device;
  return out;
}

bool Converter::is_of_device(const CUpti_Activity& activity) noexcept {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
    case CUPTI_ACTIVITY_KIND_MEMSET:
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
      return true;
    default:
      return false;
  }
}

/// One kind has data; what the pointer is in records of the others, no header says.
void* Converter::memory_of(const CUpti_Activity& activity, std::uint32_t version) noexcept {
  if (version < version_of_overhead_data || activity.kind != CUPTI_ACTIVITY_KIND_OVERHEAD ||
      static_cast<unsigned>(as<Overhead>(activity).overheadKind) != command_buffer_full)
    return nullptr;
  void* memory = nullptr;
  std::memcpy(&memory, reinterpret_cast<const char*>(&activity) + offset_of_overhead_data, sizeof memory);
  return memory;
}

DeviceRecord Converter::blank(std::uint32_t cuda_device, DeviceRecordKind kind) const {
  DeviceRecord out = timed_record(kind);
  out.device = number_of_(cuda_device);
  return out;
}

void Converter::put(const DeviceRecord& record) {
  batch_.push_back(record);
  if (batch_.size() >= batch_size) flush();
}

void Converter::flush() {
  if (!batch_.empty()) sink_.records(batch_);
  batch_.clear();
}

std::optional<std::uint32_t> Converter::device_of(std::uint32_t context) const {
  const auto known = context == any_context ? device_of_context_.begin() : device_of_context_.find(context);
  if (known == device_of_context_.end()) return std::nullopt;
  return known->second;
}

void Converter::put_of_context(DeviceRecord record, std::uint32_t context) {
  if (const auto device = device_of(context)) {
    record.device = number_of_(*device);
    put(record);
  } else if (kept_.size() < most_remembered) {
    kept_.push_back({record, context});
  } else {
    sink_.count("device.records_without_device", 1);
  }
}

void Converter::learn_context(std::uint32_t context, std::uint32_t cuda_device) {
  if (!device_of_context_.insert_or_assign(context, cuda_device).second) return;
  const std::vector<Kept> kept = std::exchange(kept_, {});
  for (const Kept& one : kept) put_of_context(one.record, one.context);
}

void Converter::finish() {
  if (!kept_.empty()) sink_.count("device.records_without_device", kept_.size());
  kept_.clear();
}

void Converter::take_kernel(const Kernel& in) {
  auto out = blank(in.deviceId, DeviceRecordKind::kernel);
  out.start = in.start;
  out.end = in.end;
  out.stream = in.streamId;
  out.context = in.contextId;
  out.correlation = in.correlationId;
  out.name = in.name ? sink_.intern(in.name) : 0;
  out.granted_teams = static_cast<std::uint32_t>(in.gridX) * static_cast<std::uint32_t>(in.gridY) *
                      static_cast<std::uint32_t>(in.gridZ);
  out.thread_id = thread_of(in.correlationId);
  const auto u = [](auto value) { return static_cast<std::uint32_t>(value); };
  set_shape(out, {{u(in.gridX), u(in.gridY), u(in.gridZ)},
                  {u(in.blockX), u(in.blockY), u(in.blockZ)},
                  in.registersPerThread,
                  u(in.staticSharedMemory),
                  u(in.dynamicSharedMemory)});
  put(out);
}

void Converter::take_copy(const Copy& in) {
  auto out = blank(in.deviceId, DeviceRecordKind::transfer_peer);
  switch (in.copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      out.kind = DeviceRecordKind::transfer_to_device;
      out.destination_device = out.device;
      break;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      out.kind = DeviceRecordKind::transfer_from_device;
      out.source_device = out.device;
      break;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      break;
    default:
      out.source_device = out.destination_device = out.device;
  }
  const auto host_side = out.kind == DeviceRecordKind::transfer_to_device ? in.srcKind : in.dstKind;
  if (host_side == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE) out.name = sink_.intern("pageable");
  if (host_side == CUPTI_ACTIVITY_MEMORY_KIND_PINNED) out.name = sink_.intern("pinned");
  out.thread_id = thread_of(in.correlationId);
  out.start = in.start;
  out.end = in.end;
  out.bytes = in.bytes;
  out.stream = in.streamId;
  out.context = in.contextId;
  out.correlation = in.correlationId;
  put(out);
}

void Converter::take_peer_copy(const PeerCopy& in) {
  auto out = blank(in.deviceId, DeviceRecordKind::transfer_peer);
  out.thread_id = thread_of(in.correlationId);
  out.start = in.start;
  out.end = in.end;
  out.bytes = in.bytes;
  out.stream = in.streamId;
  out.context = in.contextId;
  out.correlation = in.correlationId;
  out.source_device = number_of_(in.srcDeviceId);
  out.destination_device = number_of_(in.dstDeviceId);
  put(out);
}

void Converter::take_memset(const Set& in) {
  auto out = blank(in.deviceId, DeviceRecordKind::memset);
  out.start = in.start;
  out.end = in.end;
  out.bytes = in.bytes;
  out.stream = in.streamId;
  out.context = in.contextId;
  out.correlation = in.correlationId;
  out.destination_device = out.device;
  put(out);
}

void Converter::take_synchronization(const Synchronization& in) {
  auto out = timed_record(DeviceRecordKind::synchronize);
  out.start = in.start;
  out.end = in.end;
  out.stream = in.streamId == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? no_stream : in.streamId;
  out.context = in.contextId;
  out.correlation = in.correlationId;
  out.name = sink_.intern(name_of(in.type));
  put_of_context(out, in.contextId);
}

void Converter::take_overhead(const Overhead& in) {
  const bool of_device = in.objectKind == CUPTI_ACTIVITY_OBJECT_DEVICE ||
                         in.objectKind == CUPTI_ACTIVITY_OBJECT_CONTEXT ||
                         in.objectKind == CUPTI_ACTIVITY_OBJECT_STREAM;
  auto out = of_device ? blank(in.objectId.dcs.deviceId, DeviceRecordKind::overhead)
                       : timed_record(DeviceRecordKind::overhead);
  out.start = in.start;
  out.end = in.end;
  out.name = sink_.intern(name_of(in.overheadKind));
  if (of_device)
    put(out);
  else
    put_of_context(out, any_context);
}

void Converter::take_device(const Device& in) {
  CudaDevice device;
  device.name = in.name ? in.name : "";
  auto& p = device.properties;
  p["name"] = device.name;
  p["uuid"] = name_of("GPU-", in.uuid);
  if (in.isMigEnabled) p["mig_uuid"] = name_of("MIG-", in.migUuid);
  p["compute_capability"] = std::to_string(in.computeCapabilityMajor) + "." + std::to_string(in.computeCapabilityMinor);
  p["memory_bytes"] = std::to_string(in.globalMemorySize);
  p["memory_bandwidth_kB_per_s"] = std::to_string(in.globalMemoryBandwidth);
  p["compute_units"] = std::to_string(in.numMultiprocessors);
  p["core_clock_kHz"] = std::to_string(in.coreClockRate);
  p["l2_cache_bytes"] = std::to_string(in.l2CacheSize);
  p["warps_per_compute_unit"] = std::to_string(in.maxWarpsPerMultiprocessor);
  p["blocks_per_compute_unit"] = std::to_string(in.maxBlocksPerMultiprocessor);
  p["registers_per_compute_unit"] = std::to_string(in.maxRegistersPerMultiprocessor);
  p["shared_memory_per_compute_unit"] = std::to_string(in.maxSharedMemoryPerMultiprocessor);
  p["threads_per_warp"] = std::to_string(in.numThreadsPerWarp);
  on_device_(in.id, std::move(device));
}

void Converter::take_correlation(const Correlation& in) {
  if (in.externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) return;  // another user's
  auto out = nobodys_record(DeviceRecordKind::correlation);
  out.host_op_id = in.externalId;
  out.correlation = in.correlationId;
  put(out);
}

/// A thread that calls CUDA itself is known by the call only: it is whom its copies go to.
void Converter::remember_thread(const ApiCall& call) {
  if (without_thread_.erase(call.correlationId) != 0) {
    // another thread's buffer came first: the correlation record follows
    auto out = nobodys_record(DeviceRecordKind::correlation);
    out.correlation = call.correlationId;
    out.thread_id = call.threadId;
    put(out);
  }
  if (!thread_of_call_.emplace(call.correlationId, call.threadId).second) return;
  calls_.push_back(call.correlationId);
  if (calls_.size() <= most_remembered) return;
  thread_of_call_.erase(calls_.front());
  calls_.pop_front();
}

std::uint64_t Converter::thread_of(std::uint32_t correlation) {
  const auto it = thread_of_call_.find(correlation);
  if (it != thread_of_call_.end()) return it->second;
  if (correlation != 0 && without_thread_.size() < most_remembered) without_thread_.insert(correlation);
  return 0;
}

void Converter::learn(const CUpti_Activity& activity) {
  const auto learn_context_of = [this](const auto& record) { learn_context(record.contextId, record.deviceId); };
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return remember_thread(as<ApiCall>(activity));
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return learn_context_of(as<Context>(activity));
    case CUPTI_ACTIVITY_KIND_KERNEL:  // CUPTI may lack the records of contexts
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return learn_context_of(as<Kernel>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return learn_context_of(as<Copy>(activity));
    default:
      return;
  }
}

void Converter::take(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return take_kernel(as<Kernel>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return take_copy(as<Copy>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return take_peer_copy(as<PeerCopy>(activity));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return take_memset(as<Set>(activity));
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return take_memory(as<Memory>(activity));
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return take_pool(as<Pool>(activity));
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER:
      return take_unified_memory(as<UnifiedMemory>(activity));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return take_synchronization(as<Synchronization>(activity));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return take_overhead(as<Overhead>(activity));
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return take_device(as<Device>(activity));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return take_correlation(as<Correlation>(activity));
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_CONTEXT:
    case CUPTI_ACTIVITY_KIND_STREAM:
    case CUPTI_ACTIVITY_KIND_DEVICE_ATTRIBUTE:
      return;  // learnt, or only needed so that others are made
    default:
      sink_.count("device.cupti_kinds_ignored", 1);
  }
}

}  // namespace tracer::device::cupti
