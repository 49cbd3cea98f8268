// SPDX-License-Identifier: BSD-3-Clause
// Durations, sizes and shares with three or four digits and a unit.
#include "tracer/base/units.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"

namespace tracer {

namespace {

constexpr double next_unit = 999.95;  // it is 1000 with four digits

/// Four digits, or all of those before the point.
std::string four_digits(double value) {
  return formatted(value < 9999.5 ? "%.4g" : "%.0f", value);
}

}  // namespace

std::string duration_text(std::uint64_t ns) {
  if (ns < 1'000) return formatted("%llu ns", static_cast<unsigned long long>(ns));
  const double value = static_cast<double>(ns);
  if (value / 1e3 < next_unit) return four_digits(value / 1e3) + " us";
  if (value / 1e6 < next_unit) return four_digits(value / 1e6) + " ms";
  return four_digits(value / 1e9) + " s";
}

namespace {

struct Unit {
  std::uint64_t ns;
  const char* name;
  int digits;  ///< behind the point, to the nanosecond
};

const Unit& unit_of(std::uint64_t ns) {
  static constexpr Unit units[] = {{1'000'000'000, "s", 9}, {1'000'000, "ms", 6}, {1'000, "us", 3}, {1, "ns", 0}};
  for (const Unit& unit : units)
    if (ns >= unit.ns) return unit;
  return units[3];
}

std::string with_digits(std::uint64_t ns, const Unit& unit, int digits) {
  std::uint64_t step = 1;
  for (int i = digits; i < unit.digits; ++i) step *= 10;
  ns = (ns + step / 2) / step * step;
  std::string text = std::to_string(ns / unit.ns);
  if (digits > 0) {
    std::string rest = std::to_string(ns % unit.ns);
    rest.insert(0, static_cast<std::size_t>(unit.digits) - rest.size(), '0');
    rest.resize(static_cast<std::size_t>(digits));
    rest.resize(rest.find_last_not_of('0') + 1);
    if (!rest.empty()) text += "." + rest;
  }
  return text + " " + unit.name;
}

}  // namespace

std::string exact_time_text(std::uint64_t ns) {
  const Unit& unit = unit_of(ns);
  return with_digits(ns, unit, unit.digits);
}

std::string moment_text(std::uint64_t ns, std::uint64_t whole) {
  constexpr std::uint64_t moments = 100'000;  // of a run
  const Unit& unit = unit_of(ns);
  int digits = 0;
  for (std::uint64_t step = unit.ns; digits < unit.digits && step > std::max<std::uint64_t>(1, whole / moments);
       step /= 10)
    ++digits;
  return with_digits(ns, unit, digits);
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1023.95 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return four_digits(bytes) + " " + units[unit];
}

std::string percent_text(std::uint64_t part, std::uint64_t whole) {
  return formatted("%.1f %%", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string duration_or_dash(std::uint64_t ns) {
  return ns == 0 ? "-" : duration_text(ns);
}

std::string percent_or_dash(std::uint64_t part, std::uint64_t whole) {
  return part == 0 ? "-" : percent_text(part, whole);
}

std::string bytes_or_dash(std::uint64_t count) {
  return count == 0 ? "-" : bytes_text(static_cast<double>(count));
}

std::string count_or_dash(std::uint64_t number) {
  return number == 0 ? "-" : format_count(number);
}

std::string place_text(const std::string& file, std::uint32_t line) {
  return file.substr(file.rfind('/') + 1) + (line == 0 || file.empty() ? "" : ":" + std::to_string(line));
}

}  // namespace tracer
