// SPDX-License-Identifier: BSD-3-Clause
// What the patterns of data movement are called, and their rows.
#include <algorithm>

#include "tracer/report/measures/data_movement.hpp"

namespace tracer::report {

const char* name_of(DataPattern pattern) noexcept {
  switch (pattern) {
    case DataPattern::duplicate_transfer:
      return "duplicate-transfer";
    case DataPattern::round_trip:
    case DataPattern::returned_unchanged:
      return "round-trip";
    case DataPattern::repeated_allocation:
      return "repeated-allocation";
    case DataPattern::unused_allocation:
      return "unused-allocation";
    case DataPattern::unused_transfer:
      return "unused-transfer";
    case DataPattern::serial_transfer:
      return "serial-transfer";
    case DataPattern::small_transfers:
      return "small-transfers";
    case DataPattern::short_kernels:
      return "short-kernels";
    case DataPattern::few_teams:
      return "few-teams";
    case DataPattern::turns:
      return "device-turns";
  }
  return "";
}

std::vector<DataMovementRow> DataMovement::rows() const {
  std::vector<DataMovementRow> rows;
  for (const auto& [key, row] : rows_) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const DataMovementRow& a, const DataMovementRow& b) { return a.ns > b.ns; });
  return rows;
}

}  // namespace tracer::report
