// SPDX-License-Identifier: BSD-3-Clause
// What constructs of a comparison are called on its two sides.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tracer/report/diff/diff.hpp"

namespace tracer::report {

/// Which constructs of the two sides are one.
class ConstructNames {
 public:
  /// What a construct's row in the comparison is found by (its name, but for names of several constructs) and called.
  struct Row {
    std::string key, name, was;     ///< was: its name before, where that was another one
    std::uint32_t was_in_line = 0;  ///< before; 0 unknown, or as it is
  };
  ConstructNames(const std::vector<Report>& before, const std::vector<Report>& after);
  /// Of a construct of the one side or the other.
  Row row_of(const RegionRow& region, bool is_before) const;

 private:
  std::set<std::string> shared_;      ///< names of constructs in several files of one run
  std::map<std::string, Row> after_;  ///< by key before: where both are known to be one construct's
  std::set<std::string> taken_;       ///< keys before that are another construct's after
};

/// The rows of devices and of data movement.
void diff_devices(const std::vector<Report>& before, const std::vector<Report>& after, const ConstructNames& names,
                  Diff& diff);

}  // namespace tracer::report
