// SPDX-License-Identifier: BSD-3-Clause
// Reports made by hand, for comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tracer/report/report.hpp"

namespace tracer::test {

using report::Activity, report::RegionRow, report::Report, report::ThreadRow;

inline Report run_of(std::uint64_t wall, std::uint64_t loop, std::uint64_t lost = 0,
                     const char* name = "!$omp for @a.c:1") {
  Report report;
  report.wall = wall;
  RegionRow row;
  row.name = name;
  row.count = 4;
  row.exclusive = loop;
  row.balance.lost = lost;
  report.regions.push_back(row);
  ThreadRow thread;
  thread.ns[static_cast<std::size_t>(Activity::work)] = loop;
  thread.ns[static_cast<std::size_t>(Activity::barrier)] = wall - loop;
  report.thread_rows.push_back(thread);
  return report;
}

/// A loop that ran once.
inline RegionRow loop_at(const std::string& file, unsigned line, const std::string& function, std::uint64_t ns) {
  RegionRow row;
  row.name = "!$omp for @" + file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
  row.label = "for";
  row.file = file;
  row.function = function;
  row.line = line;
  row.count = 1;
  row.exclusive = ns;
  return row;
}

}  // namespace tracer::test
