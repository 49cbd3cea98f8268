// SPDX-License-Identifier: BSD-3-Clause
// Opens libdw and finds its functions: that of the portable package, which brings its own, or the system's.
#include "tracer/base/libdw.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <system_error>

namespace tracer {
namespace {

/// Of libtracer.so and of the command, which lie in lib/ and bin/.
std::string own_libraries() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&libdw), &info) == 0 || info.dli_fname == nullptr) return {};
  std::filesystem::path file = info.dli_fname;
  std::error_code error;
  const bool is_command = !file.filename().string().starts_with("lib");
  if (is_command) file = std::filesystem::read_symlink("/proc/self/exe", error);  // dladdr has what the user typed
  const std::filesystem::path directory = file.parent_path();
  if (directory.empty()) return {};
  return (is_command ? directory.parent_path() / "lib" / "tracer" : directory / "tracer").string() + "/";
}

/// What libdw needs comes before it: the loader then finds it by its name.
void* open_own() {
  const std::string directory = own_libraries();
  void* last = nullptr;
  for (const char* name : {"libz.so.1", "liblzma.so.5", "libbz2.so.1.0", "libelf.so.1", "libdw.so.1"})
    if (last = directory.empty() ? nullptr : dlopen((directory + name).c_str(), RTLD_NOW | RTLD_LOCAL); last == nullptr)
      return nullptr;
  return last;
}

bool load(LibDw& dw) {
  void* library = open_own();
  if (library == nullptr) library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  bool is_complete = true;
#define TRACER_LIBDW_LOOK_UP(name)                                      \
  dw.name = reinterpret_cast<decltype(dw.name)>(dlsym(library, #name)); \
  is_complete = is_complete && dw.name != nullptr;
  TRACER_LIBDW_FUNCTIONS(TRACER_LIBDW_LOOK_UP)
#undef TRACER_LIBDW_LOOK_UP
  return is_complete;
}

}  // namespace

const LibDw* libdw() {
  static LibDw functions;
  static const bool is_loaded = load(functions);
  return is_loaded ? &functions : nullptr;
}

}  // namespace tracer
