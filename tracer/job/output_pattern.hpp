// SPDX-License-Identifier: BSD-3-Clause
// TRACER_OUTPUT's escapes: %x program, %p process id, %h host, %t time, %% a percent sign.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tracer {

/// Where a trace goes by default.
inline constexpr const char* default_output = "tracer-%x-%t-%p";

struct OutputNames {
  std::string program;  ///< its path or name
  std::uint64_t process_id = 0;
  std::string host;
  std::string time;  ///< date and time
};

/// "20261127-101112Z": UTC. By arithmetic, not by the C library: its functions read the variable TZ at the first call,
/// which is the traced program's to make.
std::string utc_time_name(std::chrono::sys_seconds time);

std::string expand_output(const std::string& pattern, const OutputNames& names);

/// The same directory for all processes of a launch: "" when the pattern names a process.
std::string pattern_of_job(const std::string& pattern, const std::string& job);

/// `path` as a pattern that means just this.
std::string literal_output(const std::filesystem::path& path);

/// An absolute path without a slash at its end.
std::filesystem::path place_of(const std::string& expanded, const std::filesystem::path& working_directory);

}  // namespace tracer
