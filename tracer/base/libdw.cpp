// SPDX-License-Identifier: BSD-3-Clause
// Opens libdw and finds its functions.
#include "tracer/base/libdw.hpp"

#include <dlfcn.h>

namespace tracer {
namespace {

bool load(LibDw& dw) {
  void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
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
