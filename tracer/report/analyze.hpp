// SPDX-License-Identifier: BSD-3-Clause
// Reads a trace once and says what it shows.
#pragma once

#include <functional>

#include "tracer/event_source.hpp"
#include "tracer/report/report.hpp"
#include "tracer/samples.hpp"

namespace tracer::report {

/// `progress` is called now and then with the share that is done, 0 to 1; may be empty. `samples`: of the same trace;
/// null where there are none.
Report analyze(EventSource& source, const std::function<void(double)>& progress = {},
               const samples::SampleSet* samples = nullptr);

/// What keeps the program from being faster; needs the account and all tables.
/// May split cells of the report's account.
Verdict verdict_on(Report& report, const Definitions& definitions);

/// The verdict's notes and findings in one list, most important first.
std::vector<Hint> hints_for(const Report& report);

}  // namespace tracer::report
