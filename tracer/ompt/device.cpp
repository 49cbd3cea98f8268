// SPDX-License-Identifier: BSD-3-Clause
// Handlers of devices themselves: a record for the order of things, the rest is the provider's.
#include "tracer/ompt/context.hpp"
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/session/run_facts.hpp"
#include "tracer/session/session.hpp"

namespace tracer::ompt {
namespace {

void emit_device(RecordKind kind, Endpoint endpoint, int device_num, std::uint64_t module_id = 0,
                 std::uint64_t bytes = 0) noexcept {
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = kind,
                  .endpoint = endpoint,
                  .sub = 0,
                  .a = static_cast<std::uint32_t>(device_num),
                  .b = module_id,
                  .c = bytes});
  });
}

}  // namespace

void on_device_initialize(int device_num, const char* type, ompt_device_t* device, ompt_function_lookup_t lookup,
                          const char* documentation) noexcept {
  emit_device(RecordKind::device_initialize, Endpoint::begin, device_num);
  // What the compiler registered for the end of offloading came behind the tool's start, and ends the runtime.
  remember_exit_status();
  if (device::Devices* provider = devices()) {
    provider->initialize(device_num, type, device, reinterpret_cast<DeviceLookup>(lookup), documentation);
  }
}

void on_device_finalize(int device_num) noexcept {
  emit_device(RecordKind::device_finalize, Endpoint::end, device_num);
  if (device::Devices* provider = devices()) provider->finalize(device_num);
}

void on_device_load(int device_num, const char* filename, std::int64_t, void*, std::size_t bytes, void* host_addr,
                    void* device_addr, std::uint64_t module_id) noexcept {
  emit_device(RecordKind::device_load, Endpoint::none, device_num, module_id, bytes);
  Session* recording = Session::current();
  if (recording == nullptr) return;
  try {
    recording->journal().device_module({.device = device_num,
                                        .file = filename != nullptr ? filename : "",
                                        .module_id = module_id,
                                        .bytes = bytes,
                                        .host_address = address_of(host_addr),
                                        .device_address = address_of(device_addr),
                                        .loaded = now()});
  } catch (...) {  // no memory for the path: the record has the rest
  }
}

void on_device_unload(int device_num, std::uint64_t module_id) noexcept {
  emit_device(RecordKind::device_unload, Endpoint::none, device_num, module_id);
}

}  // namespace tracer::ompt
