// SPDX-License-Identifier: BSD-3-Clause
// libdw, opened when the first source line is looked up: a program that is traced starts without it,
// and where it is missing addresses stand in for lines.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <memory>

namespace tracer::translate {

/// The functions of libdw that we call, by their own names.
struct LibDw {
  decltype(&::dwfl_begin) dwfl_begin;
  decltype(&::dwfl_end) dwfl_end;
  decltype(&::dwfl_report_elf) dwfl_report_elf;
  decltype(&::dwfl_report_end) dwfl_report_end;
  decltype(&::dwfl_addrmodule) dwfl_addrmodule;
  decltype(&::dwfl_module_addrname) dwfl_module_addrname;
  decltype(&::dwfl_module_nextcu) dwfl_module_nextcu;
  decltype(&::dwfl_module_build_id) dwfl_module_build_id;
  decltype(&::dwfl_offline_section_address) dwfl_offline_section_address;
  decltype(&::dwarf_ranges) dwarf_ranges;
  decltype(&::dwarf_getsrc_die) dwarf_getsrc_die;
  decltype(&::dwarf_getsrclines) dwarf_getsrclines;
  decltype(&::dwarf_onesrcline) dwarf_onesrcline;
  decltype(&::dwarf_linesrc) dwarf_linesrc;
  decltype(&::dwarf_lineno) dwarf_lineno;
  decltype(&::dwarf_lineaddr) dwarf_lineaddr;
  decltype(&::dwarf_attr) dwarf_attr;
  decltype(&::dwarf_getfuncs) dwarf_getfuncs;
  decltype(&::dwarf_diename) dwarf_diename;
  decltype(&::dwarf_decl_line) dwarf_decl_line;
  decltype(&::dwarf_decl_file) dwarf_decl_file;
  decltype(&::dwarf_attr_integrate) dwarf_attr_integrate;
  decltype(&::dwarf_formstring) dwarf_formstring;
  decltype(&::dwarf_child) dwarf_child;
  decltype(&::dwarf_siblingof) dwarf_siblingof;
  decltype(&::dwarf_tag) dwarf_tag;
  decltype(&::dwarf_formudata) dwarf_formudata;
  decltype(&::dwarf_getsrcfiles) dwarf_getsrcfiles;
  decltype(&::dwarf_filesrc) dwarf_filesrc;
};

/// nullptr when libdw.so.1 cannot be opened. Never closed.
const LibDw* libdw();

}  // namespace tracer::translate
