// SPDX-License-Identifier: BSD-3-Clause
// What processes below a `tracer run` leave for it where it does not find their traces: in JOB/runs, as files whose
// names begin with a dot (job_directory.hpp). TRACER_LAUNCH_AT names JOB, whatever becomes of TRACER_OUTPUT.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/config.hpp"

namespace tracer {

enum class LaunchNoteKind : char {
  elsewhere = '@',        ///< the process' trace is in the directory `text`
  off = '-',              ///< TRACER=off
  failed = '?',           ///< a process could not begin its trace: `text`
  tool_starts = '>',      ///< another OpenMP tool, the file `text`, is about to be started
  tool_active = '+',      ///< it gets every callback
  tool_refuses = '~',     ///< it wants to be no tool
  tool_not_loaded = '!',  ///< `text`: which and why
};

struct LaunchNote {
  LaunchNoteKind kind = LaunchNoteKind::off;
  std::string text;
};

/// By a traced process, for its launch. False: there is none, it has ended, or this process may not write there.
bool leave_note(const Config& config, LaunchNoteKind kind, std::string_view text) noexcept;

/// What the processes of the launch left in the job's directory at `job`.
std::vector<LaunchNote> notes_of(const std::filesystem::path& job, const std::string& launch);

}  // namespace tracer
