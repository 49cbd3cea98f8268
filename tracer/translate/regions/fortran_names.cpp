// SPDX-License-Identifier: BSD-3-Clause
// See fortran_names.hpp.
#include "tracer/translate/regions/fortran_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace tracer::translate {
namespace {

/// Flang: _Q, then a capital letter and a name (small letters, digits, underscores) for each scope: M module,
/// S submodule, F host procedure, P the procedure itself. A host without a name is the main program. "" when it is
/// something else.
std::string of_flang(std::string_view name) {
  if (name.starts_with("_QQmain")) return "main program";
  if (!name.starts_with("_Q")) return "";
  std::string result;
  for (std::size_t at = 2; at < name.size();) {
    const char kind = name[at++];
    if (std::string_view{"MSFP"}.find(kind) == std::string_view::npos) return "";
    const std::size_t begin = at;
    while (at < name.size() && std::isupper(static_cast<unsigned char>(name[at])) == 0) ++at;
    const bool is_program = kind == 'F' && begin == 3 && at == begin && at < name.size();
    if (at == begin && !is_program) return "";
    result += result.empty() ? "" : "::";
    result += is_program ? std::string_view{"main program"} : name.substr(begin, at - begin);
  }
  return result;
}

std::string of_gfortran(std::string_view name) {
  if (name == "MAIN__") return "main program";
  const auto mark = name.find("_MOD_");
  if (!name.starts_with("__") || mark == std::string_view::npos || mark <= 2) return "";
  return std::string{name.substr(2, mark - 2)} + "::" + std::string{name.substr(mark + 5)};
}

}  // namespace

std::string fortran_name(const std::string& name) {
  const std::string_view plain = std::string_view{name}.substr(0, name.find("..omp_"));
  if (std::string found = of_flang(plain); !found.empty()) return found;
  if (std::string found = of_gfortran(plain); !found.empty()) return found;
  return plain.starts_with("_Q") ? std::string{plain} : name;
}

std::string name_in_file(std::string function, std::string_view file) {
  const std::string_view ending = file.substr(std::min(file.rfind('.'), file.size()));
  const bool is_fortran = ending.size() > 1 && (ending[1] == 'f' || ending[1] == 'F') &&
                          ending.find_first_not_of("0123456789orpORP", 2) == std::string_view::npos;  // .f90, .F, .for
  if (!is_fortran) return function;
  const std::size_t dot = function.find('.');
  if (dot != 0 && dot != std::string::npos && dot + 1 < function.size() &&
      function.find_first_not_of("0123456789", dot + 1) == std::string::npos)
    function.resize(dot);
  while (function.size() > 1 && function.ends_with('_')) function.pop_back();
  return function;
}

}  // namespace tracer::translate
