// SPDX-License-Identifier: BSD-3-Clause
// Symbols of the functions that compilers make of constructs: solve.omp_outlined (clang), solve._omp_fn.0 (GCC),
// solve.DIR.OMP.PARALLEL.LOOP.2.split78 (Intel's), _QPsolve..omp_par (flang); and of the copies and pieces that they
// make of functions: solve.constprop.0, solve.part.0, solve.cold.
#pragma once

#include <cstddef>
#include <string_view>

namespace tracer {

/// Whether the symbol is of such a function.
constexpr bool is_outlined(std::string_view symbol) noexcept {
  for (const std::string_view mark : {"omp_outlined", "omp_task_entry", "_omp_fn", ".omp.", "..omp_", ".DIR.OMP."})
    if (symbol.find(mark) != std::string_view::npos) return true;
  return symbol.starts_with("__omp_offloading");
}

/// The symbol of the function around the construct, as far as the other one has it: what flang appends stays.
constexpr std::string_view without_outlining(std::string_view symbol) noexcept {
  for (const std::string_view mark : {".omp_outlined", "._omp_fn", ".omp_task_entry", ".omp.", ".DIR.OMP."})
    symbol = symbol.substr(0, symbol.find(mark));
  return symbol;
}

/// The symbol of the function of which another is a copy for some calls (of which builds make other ones) or a piece:
/// with a number behind the mark, or .cold at the end. Other languages have such words between dots in their names.
constexpr std::string_view without_clones(std::string_view symbol) noexcept {
  for (const std::string_view mark : {".constprop", ".isra", ".part", ".cold", ".lto_priv", ".llvm", ".specialized"}) {
    for (std::size_t at = symbol.find(mark); at != symbol.npos; at = symbol.find(mark, at + 1)) {
      const std::string_view behind = symbol.substr(at + mark.size());
      const bool has_number = behind.size() > 1 && behind[0] == '.' && behind[1] >= '0' && behind[1] <= '9';
      if (has_number || (behind.empty() && mark == ".cold")) symbol = symbol.substr(0, at);
    }
  }
  return symbol;
}

}  // namespace tracer
