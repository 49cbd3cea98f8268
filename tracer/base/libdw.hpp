// SPDX-License-Identifier: BSD-3-Clause
// libdw, opened when it is first needed: a program that is traced starts without it, and the command runs without it,
// with less information.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace tracer {

// clang-format off
#define TRACER_LIBDW_FUNCTIONS(X) \
  X(dwfl_begin) X(dwfl_end) X(dwfl_report_elf) X(dwfl_report_end) X(dwfl_addrmodule) X(dwfl_module_addrname) \
  X(dwfl_module_getsymtab) X(dwfl_module_getsym_info) X(dwfl_module_address_section) \
  X(dwfl_module_build_id) X(dwfl_module_nextcu) X(dwfl_module_getsrc) X(dwfl_module_info) X(dwfl_lineinfo) \
  X(dwfl_offline_section_address) X(dwfl_linux_proc_report) X(dwfl_linux_proc_attach) X(dwfl_linux_proc_find_elf) \
  X(dwfl_core_file_report) X(dwfl_core_file_attach) X(dwfl_build_id_find_elf) X(dwfl_standard_find_debuginfo) \
  X(dwfl_getthread_frames) X(dwfl_frame_pc) \
  X(dwarf_ranges) X(dwarf_haspc) X(dwarf_getsrc_die) X(dwarf_getsrclines) X(dwarf_onesrcline) X(dwarf_linesrc) X(dwarf_lineno) X(dwarf_lineaddr) X(dwarf_linebeginstatement) X(dwarf_lineendsequence) X(dwarf_attr) \
  X(dwarf_getfuncs) X(dwarf_diename) X(dwarf_decl_line) X(dwarf_decl_file) X(dwarf_attr_integrate) \
  X(dwarf_formstring) X(dwarf_child) X(dwarf_siblingof) X(dwarf_tag) X(dwarf_formudata) X(dwarf_formaddr) X(dwarf_getsrcfiles) \
  X(dwarf_filesrc)
// clang-format on

/// The functions of libdw that we call, by their own names.
struct LibDw {
#define TRACER_LIBDW_MEMBER(name) decltype(&::name) name = nullptr;
  TRACER_LIBDW_FUNCTIONS(TRACER_LIBDW_MEMBER)
#undef TRACER_LIBDW_MEMBER
};

/// nullptr when libdw.so.1 cannot be opened, or lacks one of them. Never closed.
const LibDw* libdw();

/// Why libdw() is nullptr.
inline constexpr const char* no_libdw = "libdw is not installed (Debian: libdw1)";

}  // namespace tracer
