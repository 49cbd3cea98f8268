// SPDX-License-Identifier: BSD-3-Clause
// Recognises a file without a build id: a fact of the journal, named by where the file was mapped. Written
// while the program runs (session), compared when its lines are looked up (convert).
#pragma once

#include <sys/stat.h>
#include <cstdint>
#include <cstdio>
#include <string>

#include "tracer/property_names.hpp"

namespace tracer {

/// `begin`: address at which the module was mapped.
inline std::string file_fact_name(std::uint64_t begin) {
  char name[32];
  std::snprintf(name, sizeof name, "%s0x%llx", properties::fact(properties::module_file),
                static_cast<unsigned long long>(begin));
  return name;
}

/// `changed`: nanoseconds since the epoch. Size and time 0 of a file that is not the one that was mapped.
inline std::string file_fact(std::uint64_t size, std::uint64_t changed, const std::string& path) {
  return std::to_string(size) + " bytes of " + std::to_string(changed) + ": " + path;
}

inline std::uint64_t changed_ns(const struct stat& info) noexcept {
  return static_cast<std::uint64_t>(info.st_mtim.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(info.st_mtim.tv_nsec);
}

}  // namespace tracer
