// SPDX-License-Identifier: BSD-3-Clause
// Reads a trace once and fills its report.
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

}  // namespace tracer::report
