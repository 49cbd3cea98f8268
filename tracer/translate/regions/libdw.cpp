// SPDX-License-Identifier: BSD-3-Clause
// Opens libdw and finds its functions.
#include "tracer/translate/regions/libdw.hpp"

#include <dlfcn.h>

namespace tracer::translate {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(LibDw& dw) {
  void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define TRACER_FIND(name) find(library, #name, dw.name)
  return TRACER_FIND(dwfl_begin) && TRACER_FIND(dwfl_end) && TRACER_FIND(dwfl_report_elf) &&
         TRACER_FIND(dwfl_report_end) && TRACER_FIND(dwfl_addrmodule) && TRACER_FIND(dwfl_module_addrname) &&
         TRACER_FIND(dwfl_module_build_id) && TRACER_FIND(dwfl_module_nextcu) &&
         TRACER_FIND(dwfl_offline_section_address) && TRACER_FIND(dwarf_ranges) && TRACER_FIND(dwarf_getsrc_die) &&
         TRACER_FIND(dwarf_getsrclines) && TRACER_FIND(dwarf_onesrcline) && TRACER_FIND(dwarf_linesrc) &&
         TRACER_FIND(dwarf_lineno) && TRACER_FIND(dwarf_lineaddr) && TRACER_FIND(dwarf_attr) &&
         TRACER_FIND(dwarf_getfuncs) && TRACER_FIND(dwarf_diename) && TRACER_FIND(dwarf_decl_line) &&
         TRACER_FIND(dwarf_decl_file) && TRACER_FIND(dwarf_attr_integrate) && TRACER_FIND(dwarf_formstring) &&
         TRACER_FIND(dwarf_child) && TRACER_FIND(dwarf_siblingof) && TRACER_FIND(dwarf_tag) &&
         TRACER_FIND(dwarf_formudata) && TRACER_FIND(dwarf_getsrcfiles) && TRACER_FIND(dwarf_filesrc);
#undef TRACER_FIND
}

}  // namespace

const LibDw* libdw() {
  static LibDw functions{};
  static const bool loaded = load(functions);
  return loaded ? &functions : nullptr;
}

}  // namespace tracer::translate
