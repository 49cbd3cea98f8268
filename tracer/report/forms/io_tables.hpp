// SPDX-License-Identifier: BSD-3-Clause
// Input and output in the terminal's report and in the JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "tracer/report/forms/table.hpp"

namespace tracer::report {

/// "" without any.
std::string io_text(const Report& report, const TextOptions& options);
nlohmann::ordered_json json_of(const IoReport& io);

}  // namespace tracer::report
