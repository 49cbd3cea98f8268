// SPDX-License-Identifier: BSD-3-Clause
// What TRACER_PYTHON and `tracer run --python` take.
#pragma once

#include <cstddef>
#include <string_view>

namespace tracer {

/// Letters beyond ASCII are valid here: which of them are Python's, its own tables say.
constexpr bool is_python_identifier(std::string_view word) noexcept {
  bool is_first = true;
  for (const char c : word) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    if (!is_letter && (is_first || !is_digit)) return false;
    is_first = false;
  }
  return !is_first;
}

constexpr bool is_python_word(std::string_view word) noexcept {
  return word == "off" || word == "on" || word == "all" || word == "start";
}

/// off, on, all or start; or modules with commas between them, each of identifiers with dots between them. Without
/// functions of the C++ library: libtracer-python.so has none.
constexpr bool is_python_choice(std::string_view chosen) noexcept {
  if (is_python_word(chosen)) return true;
  const char* const last = chosen.data() + chosen.size();
  bool begins_module = true;
  for (const char* begin = chosen.data();; ++begin) {
    const char* end = begin;
    while (end != last && *end != ',' && *end != '.') ++end;
    const std::string_view part{begin, static_cast<std::size_t>(end - begin)};
    const bool ends_module = end == last || *end == ',';
    if (!is_python_identifier(part) || (begins_module && ends_module && is_python_word(part))) return false;
    if (end == last) return true;
    begins_module = ends_module;
    begin = end;
  }
}

/// Of a valid choice.
constexpr bool names_python_modules(std::string_view chosen) noexcept {
  return !chosen.empty() && !is_python_word(chosen);
}

}  // namespace tracer
