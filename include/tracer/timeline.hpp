// SPDX-License-Identifier: BSD-3-Clause
// A trace as pictures need it: properly nested slices per location, arrows between them, counters.
// A suspended task's slices end, and go on as new ones where it is resumed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer {

struct Slice {
  LocationRef location = 0;
  std::uint32_t depth = 0;           ///< 0: outermost
  std::uint32_t name = 0;            ///< index into slice_names(): the region, or one beyond for copies
  std::uint64_t begin = 0, end = 0;  ///< end: 0 while open
  std::uint64_t task = 0;            ///< number of the explicit task, from 1; 0 none
  std::uint64_t bytes = 0;           ///< of a copy
  std::uint64_t flow_out = 0;        ///< an arrow begins here: the flow's number; 0 none
  std::uint64_t flow_in = 0;         ///< ... ends here
  bool continues = false;            ///< an earlier slice of the same task and region was suspended
  bool suspended = false;            ///< ends because its task was suspended
};

enum class ArrowKind : std::uint8_t { submit, transfer, task };  ///< to a kernel, to a copy, from creation to start

struct Arrow {
  ArrowKind kind = ArrowKind::submit;
  LocationRef from = 0, to = 0;
  std::uint64_t from_time = 0, to_time = 0;
};

struct Counter {
  std::uint32_t metric = 0;
  LocationRef location = 0;
  std::uint64_t time = 0, value = 0;
};

class TimelineVisitor {
 public:
  virtual ~TimelineVisitor() = default;
  /// In order of time; slices of a location open and close like brackets.
  virtual void open(const Slice&) {}
  virtual void close(const Slice&) {}
  /// When its end is reached; its beginning is in the past.
  virtual void arrow(const Arrow&) {}
  virtual void counter(const Counter&) {}
  /// After the last slice is closed.
  virtual void finish() {}
};

/// Regions' names, then those of copies.
inline std::vector<std::string> slice_names(const Definitions& definitions) {
  std::vector<std::string> names;
  names.reserve(definitions.regions.size() + 2);
  for (const Region& region : definitions.regions) names.push_back(region.name);
  names.emplace_back("copy to device");
  names.emplace_back("copy from device");
  return names;
}

}  // namespace tracer
