// SPDX-License-Identifier: BSD-3-Clause
// See program_tool.hpp. Only where LD_PRELOAD names this library, and another tool would be tried before it: whoever
// preloads it wants its trace. The other tool is handed every callback (companions.hpp).
#include "tracer/ompt/multiplex/program_tool.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "omp-tools.h"
#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/relocations.hpp"

/// Of libtracer.so; programs of tests that are linked with this have none.
extern "C" [[gnu::weak]] ompt_start_tool_result_t* ompt_start_tool(unsigned int, const char*);

namespace tracer::ompt::several {
namespace {

constexpr const char* entry = "ompt_start_tool";
constinit bool is_first = false;

/// The places from which the object calls the tool's start, a runtime's one.
void lead_here(const LoadedObject& object, std::uintptr_t ours) noexcept {
  for_each_call_slot(object, [&](const Slot& slot) {
    if (std::strcmp(slot.name, entry) == 0)
      is_first |= write_slot(slot.at, ours, is_relocated_for_good(object, slot.at));
  });
}

[[gnu::constructor]] void become_first() noexcept {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  if (&ompt_start_tool == nullptr || preloaded == nullptr || std::strstr(preloaded, "libtracer.so") == nullptr) return;
  Dl_info ours{}, firsts{};
  const void* const first = found_by_everybody(entry);
  const auto own = reinterpret_cast<std::uintptr_t>(&ompt_start_tool);
  if (first == nullptr || ::dladdr(first, &firsts) == 0 || ::dladdr(reinterpret_cast<void*>(own), &ours) == 0 ||
      firsts.dli_fbase == ours.dli_fbase)
    return;
  for_each_object([own](const LoadedObject& object) {
    if (!object.contains(own)) lead_here(object, own);
    return false;
  });
}

}  // namespace

void* found_by_everybody(const char* name) noexcept {
  void* const program = ::dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  if (program == nullptr) return nullptr;
  void* const found = ::dlsym(program, name);
  ::dlclose(program);
  return found;
}

bool has_been_put_first() noexcept {
  return is_first;
}

}  // namespace tracer::ompt::several
