// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user: one line on standard error, never in the way of the program.
#pragma once

#include <string>
#include <string_view>

#include "tracer/base/config.hpp"

namespace tracer {

void set_log_level(LogLevel level) noexcept;

/// From now on descriptor 2 is spoken to only while it is the file that it is now: programs close it, and open files of
/// their own that get the number.
void remember_standard_error() noexcept;
/// Around fork(), by the thread that forks: a child would wait for what another thread holds.
void hold_log() noexcept;
void release_log() noexcept;
/// Where lines go while descriptor 2 is another: appended to this file, made when there is one to write.
void log_beside(const std::string& path) noexcept;

/// One line each, as "tracer: warning: <line>". Safe in any thread outside handlers; never throws; keeps errno.
void log_error(std::string_view line) noexcept;
void log_warning(std::string_view line) noexcept;

/// The closing line of a run, "tracer: <line>": printed unless TRACER_LOG=off or error.
void log_summary(std::string_view line) noexcept;

}  // namespace tracer
