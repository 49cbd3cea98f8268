// SPDX-License-Identifier: BSD-3-Clause
// See symbol_names.hpp.
#include "tracer/translate/regions/symbol_names.hpp"

#include <algorithm>
#include <iterator>

namespace tracer::translate {

/// Where symbols begin and end. Between two of these libdwfl finds the same for all addresses of a section: that
/// matters where no symbol with a size is. One without a size may be for its own address only.
std::vector<Dwarf_Addr> SymbolNames::borders_of(Dwfl_Module* module) const {
  std::vector<Dwarf_Addr> borders;
  const int count = dw_.dwfl_module_getsymtab(module);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol{};
    GElf_Addr begin = 0;
    if (dw_.dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr) == nullptr) continue;
    borders.push_back(begin);
    borders.push_back(begin + std::max<GElf_Xword>(symbol.st_size, 1));
  }
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

const char* SymbolNames::at(Dwfl_Module* module, Dwarf_Addr address) {
  const auto [known, is_new] = tables_.try_emplace(module);
  Table& table = known->second;
  if (is_new) table.borders = borders_of(module);
  const auto behind = std::upper_bound(table.borders.begin(), table.borders.end(), address);
  Dwarf_Addr in_section = address, bias = 0;
  const std::pair<std::size_t, const Elf_Scn*> place{
      static_cast<std::size_t>(std::distance(table.borders.begin(), behind)),
      dw_.dwfl_module_address_section(module, &in_section, &bias)};
  const auto [name, is_first] = table.names.try_emplace(place, nullptr);
  if (is_first) name->second = dw_.dwfl_module_addrname(module, address);
  return name->second;
}

}  // namespace tracer::translate
