// SPDX-License-Identifier: BSD-3-Clause
// See clock_offset.hpp, and time_namespaces(7).
#include "tracer/sample/clock_offset.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "tracer/base/files/file.hpp"

namespace tracer::sample {

std::int64_t monotonic_offset(const std::string& offsets) {
  long long seconds = 0;
  long nanoseconds = 0;  // never negative
  const auto line = offsets.find("monotonic");
  if (line == offsets.npos || std::sscanf(offsets.c_str() + line, "monotonic %lld %ld", &seconds, &nanoseconds) != 2)
    return 0;
  return seconds * 1'000'000'000 + nanoseconds;
}

// The file has the offsets of the process's children, which may be in another namespace than itself.
std::int64_t own_monotonic_offset() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/ns/time", error);
  const auto of_children = std::filesystem::read_symlink("/proc/self/ns/time_for_children", error);
  return own == of_children ? monotonic_offset(read_small_file("/proc/self/timens_offsets")) : 0;
}

}  // namespace tracer::sample
