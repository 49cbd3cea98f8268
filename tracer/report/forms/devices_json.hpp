// SPDX-License-Identifier: BSD-3-Clause
// Devices in the report's JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tracer/report/report.hpp"

namespace tracer::report {

nlohmann::ordered_json devices_json(const Report& report);
nlohmann::ordered_json data_movement_json(const Report& report);
nlohmann::ordered_json json_of(const TransferTotals& totals);

}  // namespace tracer::report
