// SPDX-License-Identifier: BSD-3-Clause
// What programs need that are an OpenMP runtime of their own: the tool that OMP_TOOL_LIBRARIES names, and its
// callbacks.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>

#include <omp-tools.h>

namespace tracer::test {

inline std::map<int, ompt_callback_t> callbacks;

/// Promises every event; most never come.
inline ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  callbacks[event] = callback;
  return ompt_set_always;
}

inline ompt_interface_fn_t lookup(const char* name) {
  return std::string(name) == "ompt_set_callback" ? reinterpret_cast<ompt_interface_fn_t>(&set_callback) : nullptr;
}

template <typename Callback, typename... Arguments>
void call(int kind, Arguments... arguments) {
  const auto it = callbacks.find(kind);
  if (it != callbacks.end() && it->second) reinterpret_cast<Callback>(it->second)(arguments...);
}

/// nullptr without a tool: the program runs on its own.
inline ompt_start_tool_result_t* start_tool() {
  const char* path = std::getenv("OMP_TOOL_LIBRARIES");
  void* library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library) return nullptr;
  const auto start =
      reinterpret_cast<ompt_start_tool_result_t* (*)(unsigned, const char*)>(dlsym(library, "ompt_start_tool"));
  auto* result = start ? start(202011, "a runtime with device tracing") : nullptr;
  if (!result || !result->initialize(&lookup, 0, &result->tool_data)) return nullptr;
  return result;
}

/// An address in the program, as the runtime passes for the construct.
[[gnu::noinline]] inline const void* here() {
  return __builtin_return_address(0);
}

}  // namespace tracer::test
