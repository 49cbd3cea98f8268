// SPDX-License-Identifier: BSD-3-Clause
// What constructs of a comparison are called on its two sides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/report/diff/diff.hpp"

namespace tracer::report {

struct Spot {
  std::string name;
  std::uint32_t line = 0;  ///< 0: unknown
  std::string key{};       ///< of its row
};
/// What it is called after, by the key of its row before (its name, but for names of several constructs), where both
/// are known to be one construct's; with the line before.
using NamesAfter = std::map<std::string, Spot>;

/// The rows of devices and of data movement.
void diff_devices(const std::vector<Report>& before, const std::vector<Report>& after, const NamesAfter& names,
                  Diff& diff);

}  // namespace tracer::report
