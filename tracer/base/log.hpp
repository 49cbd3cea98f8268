// SPDX-License-Identifier: BSD-3-Clause
// What is said to the user: one line on standard error, never in the way of the program.
#pragma once

#include <string_view>

#include "tracer/base/config.hpp"

namespace tracer {

void set_log_level(LogLevel level) noexcept;

/// One line each, as "tracer: warning: <line>". Safe in any thread outside handlers; never throws; keeps errno.
void log_error(std::string_view line) noexcept;
void log_warning(std::string_view line) noexcept;
void log_info(std::string_view line) noexcept;
void log_debug(std::string_view line) noexcept;

/// The closing line of a run, "tracer: <line>": said unless TRACER_LOG=off or error.
void log_summary(std::string_view line) noexcept;

}  // namespace tracer
