// SPDX-License-Identifier: BSD-3-Clause
// Values of OTF2's types as numbers and as text.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tracer/event.hpp"

namespace tracer {

constexpr bool is_real(ValueType type) noexcept {
  return type == ValueType::float32 || type == ValueType::float64;
}
constexpr bool is_signed(ValueType type) noexcept {
  return type >= ValueType::int8 && type <= ValueType::int64;
}

inline double number_of(ValueType type, std::uint64_t value) noexcept {
  if (type == ValueType::float32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  if (type == ValueType::float64) return std::bit_cast<double>(value);
  return is_signed(type) ? static_cast<double>(static_cast<std::int64_t>(value)) : static_cast<double>(value);
}

/// With enough digits to restore it.
inline std::string text_of(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}
/// The exact value.
inline std::string text_of(ValueType type, std::uint64_t value) {
  if (is_real(type)) return text_of(number_of(type, value));
  return is_signed(type) ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

/// The bits of a number whose text_of() is `text`.
inline std::uint64_t bits_of(ValueType type, const std::string& text) {
  if (type == ValueType::float32) return std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
  if (type == ValueType::float64) return std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
  return is_signed(type) ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 10))
                         : std::strtoull(text.c_str(), nullptr, 10);
}

}  // namespace tracer
