// SPDX-License-Identifier: BSD-3-Clause
// Looks up every entry point of the device tracing interface by its name in the specification.
#include "device/ompt/entry_points.hpp"

namespace tracer::device::ompt {
namespace {

template <typename Function>
void find(DeviceLookup lookup, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(lookup(name));
}

}  // namespace

EntryPoints look_up(DeviceLookup lookup) noexcept {
  EntryPoints e;
  if (!lookup) return e;
  find(lookup, "ompt_get_device_num_procs", e.get_device_num_procs);
  find(lookup, "ompt_get_device_time", e.get_device_time);
  find(lookup, "ompt_translate_time", e.translate_time);
  find(lookup, "ompt_set_trace_ompt", e.set_trace_ompt);
  find(lookup, "ompt_set_trace_native", e.set_trace_native);
  find(lookup, "ompt_get_buffer_limits", e.get_buffer_limits);
  find(lookup, "ompt_start_trace", e.start_trace);
  find(lookup, "ompt_pause_trace", e.pause_trace);
  find(lookup, "ompt_flush_trace", e.flush_trace);
  find(lookup, "ompt_stop_trace", e.stop_trace);
  find(lookup, "ompt_advance_buffer_cursor", e.advance_buffer_cursor);
  find(lookup, "ompt_get_record_type", e.get_record_type);
  find(lookup, "ompt_get_record_ompt", e.get_record_ompt);
  find(lookup, "ompt_get_record_native", e.get_record_native);
  find(lookup, "ompt_get_record_abstract", e.get_record_abstract);
  return e;
}

const char* EntryPoints::missing() const noexcept {
  if (!start_trace) return "the runtime has no device tracing (ompt_start_trace is not found)";
  if (!advance_buffer_cursor) return "ompt_advance_buffer_cursor is not found";
  const bool standard = set_trace_ompt && get_record_ompt;
  const bool native = set_trace_native && get_record_type && get_record_native && get_record_abstract;
  if (!standard && !native) return "neither standard nor native records can be requested and read";
  return nullptr;
}

}  // namespace tracer::device::ompt
