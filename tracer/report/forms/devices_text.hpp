// SPDX-License-Identifier: BSD-3-Clause
// The parts of the terminal's report that are about devices.
#pragma once

#include <string>

#include "tracer/report/forms/table.hpp"

namespace tracer::report {

/// "" without devices.
std::string devices_text(const Report& report, const TextOptions& options);

}  // namespace tracer::report
