// SPDX-License-Identifier: BSD-3-Clause
// What a report amounts to: the verdict, and its notes and findings as one list.
#pragma once

#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// What keeps the program from being faster; needs the account and all tables.
/// May split cells of the report's account.
Verdict verdict_on(Report& report, const Definitions& definitions);

/// The verdict's notes and findings in one list, most important first.
std::vector<Hint> hints_for(const Report& report);

}  // namespace tracer::report
