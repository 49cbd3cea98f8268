// SPDX-License-Identifier: BSD-3-Clause
// The phases that a trace is confined to, as its filter's text has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

inline constexpr std::string_view phase_rule = "PHASE ";  ///< in the text of a filter

/// `pattern` with * and ?.
bool matches_phase(const std::string& pattern, const std::string& name);

/// By region: whether it is a phase that the trace is confined to, in this command or when its archive was made. Empty:
/// it is to none.
std::vector<bool> phases_kept(const Definitions& definitions);

}  // namespace tracer::report
