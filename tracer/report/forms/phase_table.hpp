// SPDX-License-Identifier: BSD-3-Clause
// The table of phases in the report for the terminal.
#pragma once

#include "tracer/report/forms/table.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

Table phase_table(const Report& report);

}  // namespace tracer::report
