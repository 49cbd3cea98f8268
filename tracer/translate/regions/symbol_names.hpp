// SPDX-License-Identifier: BSD-3-Clause
// Names of symbols for many addresses: for each one libdwfl looks through a module's whole table.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "tracer/base/libdw.hpp"

namespace tracer::translate {

class SymbolNames {
 public:
  explicit SymbolNames(const LibDw& dw) : dw_{dw} {}
  /// As dwfl_module_addrname(), with the same pointer for all addresses of a symbol.
  const char* at(Dwfl_Module* module, Dwarf_Addr address);

 private:
  struct Table {
    std::vector<Dwarf_Addr> borders;
    /// By the number of borders that are not behind the address, and by its section.
    std::map<std::pair<std::size_t, const Elf_Scn*>, const char*> names;
  };
  std::vector<Dwarf_Addr> borders_of(Dwfl_Module* module) const;

  const LibDw& dw_;
  std::map<Dwfl_Module*, Table> tables_;
};

}  // namespace tracer::translate
