// SPDX-License-Identifier: BSD-3-Clause
// Functions that the compiler put into others: DW_TAG_inlined_subroutine (DWARF 5, 3.3.8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/base/libdw.hpp"

namespace tracer::translate {

/// A call that is no call any more.
struct InlinedCall {
  std::string function;    ///< the callee, as the linker would name it where the debug information has that
  std::string file;        ///< of the call, as the debug information has it; "" unknown
  std::uint32_t line = 0;  ///< of the call
};

/// Reads of a compilation unit what is requested: the ranges of its functions once, the calls inside of a function when
/// the first address in it is looked up. Damaged debug information gives fewer calls.
class InlinedFunctions {
 public:
  explicit InlinedFunctions(const LibDw& dw) : dw_{dw} {}
  /// The calls that were made into one another at an address (as the file has it), outermost first.
  std::vector<InlinedCall> at(Dwarf_Die* unit, Dwarf_Addr address);
  /// The same around the call that returns to an address. GCC gives some calls of libgomp to the code before them,
  /// which may be inlined, but says in which function it has the call (DW_TAG_call_site; DWARF 5, 3.4). clang has all
  /// calls in the function that others are inlined into: of its code, and of calls that are not there, what is before
  /// the address.
  std::vector<InlinedCall> around_call(Dwarf_Die* unit, Dwarf_Addr return_address);

 private:
  struct Inlined {
    Dwarf_Die die;
    unsigned depth = 0;
    Dwarf_Addr begin = 0, end = 0;
  };
  using Dies = std::vector<Dwarf_Die>;
  struct Function {
    Dwarf_Die die;
    bool read = false;
    std::vector<Inlined> inlined;
    std::map<Dwarf_Addr, Dies> calls;  ///< by return address; what is inlined around each, outermost first
  };
  struct Piece {
    Dwarf_Addr begin = 0, end = 0;
    std::size_t function = 0;
  };
  struct Unit {
    std::vector<Function> functions;
    std::vector<Piece> pieces;  ///< by begin
    bool places_calls = false;  ///< in the functions that they are written in
  };
  Unit& unit_of(Dwarf_Die* die);
  void add_functions(Dwarf_Die* parent, unsigned depth, Unit& unit) const;
  Function* function_at(Unit& unit, Dwarf_Addr address) const;
  void read(Dwarf_Die* parent, unsigned depth, const Dies& around, Function& to) const;
  InlinedCall call_of(Dwarf_Die* unit, Dwarf_Die* die) const;
  std::uint64_t number(Dwarf_Die* die, unsigned attribute) const;
  Dwarf_Addr address(Dwarf_Die* die, unsigned attribute) const;

  const LibDw& dw_;
  std::map<const void*, Unit> units_;  ///< by the address of the unit's DIE, which libdw keeps
};

}  // namespace tracer::translate
