// SPDX-License-Identifier: BSD-3-Clause
// Samples and scheduling on the terminal: of `tracer samples` and of the report.
#pragma once

#include "tracer/report/forms/table.hpp"
#include "tracer/report/samples.hpp"

namespace tracer::report {

/// Functions, what ran while others waited, waits that were not running, threads; "" of what was not recorded.
std::string samples_text(const SampleReport& report, const TextOptions& options);

}  // namespace tracer::report
