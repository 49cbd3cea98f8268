// SPDX-License-Identifier: BSD-3-Clause
// The files that hold debug information.
#pragma once

#include <string>

#include "tracer/base/libdw.hpp"

namespace tracer::translate {

/// Whether a regular file is there. A trace may name anything: to open a pipe is to wait for its other end.
bool is_file(const std::string& path);

/// without_zstd() of the file there; -1 also where it cannot be opened.
int without_zstd_at(const std::string& path);

/// The find_debuginfo of Dwfl_Callbacks: separate debug information by build id, where distributions put it, or by
/// .gnu_debuglink. Not libdwfl's own search: that may query servers on the network. A descriptor of the caller's, and
/// in `name` the file's, from malloc; -1: there is none, or a link without a checksum names it (dwz's common file).
int find_debuginfo(Dwfl_Module* module, void** user_data, const char* module_name, Dwarf_Addr low, const char* file,
                   const char* link, GElf_Word checksum, char** name);

}  // namespace tracer::translate
