// SPDX-License-Identifier: BSD-3-Clause
// The line that closes a recording or a conversion: what there is now, where, and what is not as it should be.
#pragma once

#include <string>

#include "tracer/convert/convert.hpp"

namespace tracer {

/// "1,234 events, 4 threads, 12.3 KiB: /path/traces.otf2; tool: 0.4 ms start, ..." More lines where something was
/// damaged. No newline at the end. The tool's cost is given for runs that recorded it (not those of a killed process).
std::string summary_of(const ConvertResult& result);

}  // namespace tracer
