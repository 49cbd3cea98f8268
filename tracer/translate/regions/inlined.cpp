// SPDX-License-Identifier: BSD-3-Clause
// See inlined.hpp.
#include "tracer/translate/regions/inlined.hpp"

#include <dwarf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace tracer::translate {
namespace {

/// Nobody nests deeper; crafted files may.
constexpr unsigned deepest = 200;

}  // namespace

InlinedFunctions::Function* InlinedFunctions::function_at(Unit& unit, Dwarf_Addr address) const {
  const auto after = std::upper_bound(unit.pieces.begin(), unit.pieces.end(), address,
                                      [](Dwarf_Addr a, const Piece& piece) { return a < piece.begin; });
  if (after == unit.pieces.begin() || address >= std::prev(after)->end) return nullptr;
  Function& function = unit.functions[std::prev(after)->function];
  if (!function.read) read(&function.die, 0, {}, function);
  function.read = true;
  return &function;
}

std::vector<InlinedCall> InlinedFunctions::around_call(Dwarf_Die* unit, Dwarf_Addr return_address) {
  Unit& known = unit_of(unit);
  if (const Function* const function = known.places_calls ? function_at(known, return_address - 1) : nullptr)
    if (const auto site = function->calls.find(return_address); site != function->calls.end()) {
      std::vector<InlinedCall> calls;
      for (Dwarf_Die die : site->second) calls.push_back(call_of(unit, &die));
      return calls;
    }
  return at(unit, return_address - 1);
}

std::vector<InlinedCall> InlinedFunctions::at(Dwarf_Die* unit, Dwarf_Addr address) {
  const Function* const function = function_at(unit_of(unit), address);
  if (function == nullptr) return {};
  std::vector<const Inlined*> around;
  for (const Inlined& one : function->inlined)
    if (one.begin <= address && address < one.end) around.push_back(&one);
  std::stable_sort(around.begin(), around.end(),
                   [](const Inlined* a, const Inlined* b) { return a->depth < b->depth; });
  std::vector<InlinedCall> calls;
  for (const Inlined* one : around) {
    Dwarf_Die die = one->die;
    calls.push_back(call_of(unit, &die));
  }
  return calls;
}

InlinedFunctions::Unit& InlinedFunctions::unit_of(Dwarf_Die* die) {
  const auto [at, is_new] = units_.try_emplace(die->addr);
  if (is_new) {
    Dwarf_Attribute producer;
    const char* const compiler =
        dw_.dwarf_attr(die, DW_AT_producer, &producer) != nullptr ? dw_.dwarf_formstring(&producer) : nullptr;
    at->second.places_calls = compiler != nullptr && std::strncmp(compiler, "GNU ", 4) == 0;
    add_functions(die, 0, at->second);
    std::sort(at->second.pieces.begin(), at->second.pieces.end(),
              [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  }
  return at->second;
}

/// Concrete functions are in the unit, in namespaces and in modules; those in classes are only declared there.
void InlinedFunctions::add_functions(Dwarf_Die* parent, unsigned depth, Unit& unit) const {
  Dwarf_Die die;
  if (depth > deepest || dw_.dwarf_child(parent, &die) != 0) return;
  do {
    const int tag = dw_.dwarf_tag(&die);
    if (tag == DW_TAG_namespace || tag == DW_TAG_module) add_functions(&die, depth + 1, unit);
    if (tag != DW_TAG_subprogram) continue;
    const std::size_t number = unit.functions.size();
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t offset = 0; (offset = dw_.dwarf_ranges(&die, offset, &base, &begin, &end)) > 0;)
      if (begin < end) unit.pieces.push_back({begin, end, number});
    if (!unit.pieces.empty() && unit.pieces.back().function == number) unit.functions.push_back({die, false, {}, {}});
    add_functions(&die, depth + 1, unit);  // contained ones, of Fortran
  } while (dw_.dwarf_siblingof(&die, &die) == 0);
}

void InlinedFunctions::read(Dwarf_Die* parent, unsigned depth, const Dies& around, Function& to) const {
  Dwarf_Die die;
  if (depth > deepest || dw_.dwarf_child(parent, &die) != 0) return;
  do {
    const int tag = dw_.dwarf_tag(&die);
    if (tag == DW_TAG_lexical_block) read(&die, depth + 1, around, to);
    if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
      if (const Dwarf_Addr at = address(&die, tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc); at != 0)
        to.calls.emplace(at, around);
    if (tag != DW_TAG_inlined_subroutine) continue;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t offset = 0; (offset = dw_.dwarf_ranges(&die, offset, &base, &begin, &end)) > 0;)
      if (begin < end) to.inlined.push_back({die, depth, begin, end});
    Dies inside = around;
    inside.push_back(die);
    read(&die, depth + 1, inside, to);
  } while (dw_.dwarf_siblingof(&die, &die) == 0);
}

Dwarf_Addr InlinedFunctions::address(Dwarf_Die* die, unsigned attribute) const {
  Dwarf_Attribute found;
  Dwarf_Addr value = 0;
  if (dw_.dwarf_attr(die, attribute, &found) == nullptr || dw_.dwarf_formaddr(&found, &value) != 0) return 0;
  return value;
}

std::uint64_t InlinedFunctions::number(Dwarf_Die* die, unsigned attribute) const {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dw_.dwarf_attr(die, attribute, &found) == nullptr || dw_.dwarf_formudata(&found, &value) != 0) return 0;
  return value;
}

InlinedCall InlinedFunctions::call_of(Dwarf_Die* unit, Dwarf_Die* die) const {
  InlinedCall call;
  Dwarf_Attribute attribute;
  const char* name = nullptr;
  if (dw_.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) != nullptr) name = dw_.dwarf_formstring(&attribute);
  if (name == nullptr) name = dw_.dwarf_diename(die);
  if (name != nullptr) call.function = name;
  call.line = static_cast<std::uint32_t>(number(die, DW_AT_call_line));
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dw_.dwarf_getsrcfiles(unit, &files, &count) != 0) return call;
  const char* file = dw_.dwarf_filesrc(files, number(die, DW_AT_call_file), nullptr, nullptr);
  if (file != nullptr) call.file = file;
  return call;
}

}  // namespace tracer::translate
