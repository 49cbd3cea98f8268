// SPDX-License-Identifier: BSD-3-Clause
// See find_tools.hpp.
#include "tracer/ompt/multiplex/find_tools.hpp"

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/other_tools.hpp"
#include "tracer/ompt/multiplex/program_tool.hpp"

namespace tracer::ompt::several {
namespace {

constexpr const char* entry = "ompt_start_tool";

bool is_ours(const void* function) {
  Dl_info ours{}, its{};
  return ::dladdr(reinterpret_cast<const void*>(&is_linked_in), &ours) != 0 && ::dladdr(function, &its) != 0 &&
         ours.dli_fbase == its.dli_fbase;
}

/// The object's own function of that name; nullptr when it comes from a library that it is linked with.
void* own_function(void* object, std::uintptr_t begin, std::uintptr_t end, const char* name) {
  void* const function = ::dlsym(object, name);
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  return address >= begin && address < end ? function : nullptr;
}

std::vector<FoundTool>& known_tools() {
  static auto* const known = new std::vector<FoundTool>;
  return *known;
}

std::string own_program() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "the program";
}

/// All objects with a tool, in the order in which names are looked for, without the runtimes' own functions.
std::vector<FoundTool> tools_in_order() {
  struct Loaded {
    std::string name;
    std::uintptr_t begin, end;
  };
  std::vector<Loaded> objects;
  for_each_object([&](const LoadedObject& object) {
    objects.push_back({object.name, object.begin, object.end});
    return false;
  });
  std::vector<FoundTool> found;
  for (const Loaded& object : objects) {
    void* const handle =
        ::dlopen(object.name.empty() ? nullptr : object.name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL);
    if (handle == nullptr) continue;  // the kernel's own
    void* const start = own_function(handle, object.begin, object.end, entry);
    const bool is_runtime = own_function(handle, object.begin, object.end, "omp_get_max_threads") != nullptr;
    if (start != nullptr && !is_runtime)
      found.push_back({object.name.empty() ? own_program() : object.name, reinterpret_cast<StartTool>(start)});
    ::dlclose(handle);
  }
  return found;
}

bool is_ours(const FoundTool& tool) {
  return is_ours(reinterpret_cast<const void*>(tool.start));
}

}  // namespace

// The loader does not look for names in a library that a runtime has opened; the other name of this one shows which it
// is.
bool is_linked_in() {
  if (has_been_put_first()) return true;
  const void* const other_name = found_by_everybody("tracer_connect");
  if (other_name == nullptr || !is_ours(other_name)) return false;
  const std::vector<FoundTool> tools = tools_in_order();
  return !tools.empty() && is_ours(tools.front());
}

std::vector<FoundTool> tools_linked_in() {
  std::vector<FoundTool> tools = tools_in_order();
  tools.erase(std::remove_if(tools.begin(), tools.end(), [](const FoundTool& tool) { return is_ours(tool); }),
              tools.end());
  known_tools() = tools;
  return tools;
}

std::vector<std::string> names_to_load(const std::string& list) {
  if (!is_linked_in()) return tools_behind_ours(list);
  return other_tools(list);
}

FoundTool load_tool(const std::string& name, std::string& why) {
  void* const handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const error = ::dlerror();
    why = error != nullptr ? error : "it cannot be loaded";
    return {};
  }
  const auto start = reinterpret_cast<StartTool>(::dlsym(handle, entry));
  if (start == nullptr) why = "it has no ompt_start_tool";
  const auto& known = known_tools();
  const bool is_known =
      std::any_of(known.begin(), known.end(), [start](const auto& tool) { return tool.start == start; });
  if (start == nullptr || is_known || is_ours(FoundTool{name, start})) return {};
  known_tools().push_back({name, start});
  return {name, start};
}

bool has_thread_sanitizer() {
  return ::dlsym(RTLD_DEFAULT, "__tsan_func_entry") != nullptr;
}

}  // namespace tracer::ompt::several
