// SPDX-License-Identifier: BSD-3-Clause
// Durations, sizes and counts with three or four digits and a unit.
#include "tracer/report/units.hpp"

#include <cstdio>

namespace tracer::report {

std::string duration_text(std::uint64_t ns) {
  char buffer[64];
  const double value = static_cast<double>(ns);
  if (ns < 1'000) {
    std::snprintf(buffer, sizeof buffer, "%llu ns", static_cast<unsigned long long>(ns));
  } else if (ns < 1'000'000) {
    std::snprintf(buffer, sizeof buffer, "%.4g us", value / 1e3);
  } else if (ns < 1'000'000'000) {
    std::snprintf(buffer, sizeof buffer, "%.4g ms", value / 1e6);
  } else {
    std::snprintf(buffer, sizeof buffer, "%.4g s", value / 1e9);
  }
  return buffer;
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4g %s", bytes, units[unit]);
  return buffer;
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace tracer::report
