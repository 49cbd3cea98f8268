// SPDX-License-Identifier: BSD-3-Clause
// Recovery as `tracer run` uses it.
#pragma once

#include <string>

namespace tracer::cli {

/// Recovers the dead runs that bear this launcher's mark (TRACER_LAUNCH). False when there are none.
bool recover_launched(const std::string& launch);

}  // namespace tracer::cli
