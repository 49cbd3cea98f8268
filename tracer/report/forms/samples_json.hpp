// SPDX-License-Identifier: BSD-3-Clause
// Samples and scheduling in JSON: of `tracer samples` and of the report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tracer/report/samples.hpp"

namespace tracer::report {

/// Members that both have: docs/formats/report-json.md.
nlohmann::ordered_json json_of(const SampleReport& report);

}  // namespace tracer::report
