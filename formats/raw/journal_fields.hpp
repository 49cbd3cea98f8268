// SPDX-License-Identifier: BSD-3-Clause
// What the journal's entries are made of, for its writer and its reader: the fields in the order of their bytes. Append
// only, as added_fields(): whoever reads an older journal finds none of those.
#pragma once

#include <type_traits>

#include "tracer/journal.hpp"

namespace tracer::raw {

/// An entry to be written (const), or to be read.
template <typename T, typename Entry>
concept Is = std::is_same_v<std::remove_const_t<T>, Entry>;

void fields(Is<RunInfo> auto& run, const auto& each) {
  each(run.tracer_version, run.program, run.arguments, run.working_directory, run.host, run.machine, run.processor,
       run.process_id, run.parent_process_id, run.main_thread_id, run.omp_version, run.runtime_version,
       run.runtime_library, run.runtime_build, run.clock, run.begin);
}

void fields(Is<ClockSync> auto& sync, const auto& each) {
  each(sync.ticks, sync.monotonic, sync.realtime);
}

void fields(Is<DeviceClockSync> auto& sync, const auto& each) {
  each(sync.device, sync.host, sync.device_time);
}

void fields(Is<CallbackAnswer> auto& answer, const auto& each) {
  each(answer.name, answer.callback, answer.result, answer.note);
}

void fields(Is<NamedValue> auto& value, const auto& each) {
  each(value.value, value.name);
}

void fields(Is<Setting> auto& setting, const auto& each) {
  each(setting.name, setting.value, setting.origin);
}

void fields(Is<Module> auto& module, const auto& each) {
  each(module.path, module.build_id, module.begin, module.end, module.bias, module.loaded, module.unloaded);
}

void fields(Is<ChannelInfo> auto& info, const auto& each) {
  each(info.id, info.os_thread_id, info.thread_type, info.processor, info.place, info.begin, info.end, info.records,
       info.lost, info.wait_ticks);
}
void added_fields(Is<ChannelInfo> auto& info, const auto& each) {
  each(info.processor_ns, info.delay_ns);
}

void fields(Is<DeviceInfo> auto& info, const auto& each) {
  each(info.number, info.type, info.documentation, info.provider, info.provider_reason, info.paradigm_hint,
       info.initialized, info.finalized, info.properties, info.dropped);
}

void fields(Is<DeviceModule> auto& module, const auto& each) {
  each(module.device, module.file, module.module_id, module.bytes, module.host_address, module.device_address,
       module.loaded);
}

}  // namespace tracer::raw
