// SPDX-License-Identifier: BSD-3-Clause
// What keeps the runs of a comparison from being compared.
#pragma once

#include <vector>

#include "tracer/report/diff/diff.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// Fills `notes` and `are_whole_runs`.
void look_at_what_is_missing(const std::vector<Report>& before, const std::vector<Report>& after, Diff& diff);

}  // namespace tracer::report
