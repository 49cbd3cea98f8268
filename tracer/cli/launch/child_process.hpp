// SPDX-License-Identifier: BSD-3-Clause
// Work in a process of its own: what the system ends for its memory, its processor time or a crash is that process, and
// whoever waits for it can report it.
#pragma once

#include <functional>
#include <string>

namespace tracer::cli {

struct Outcome {
  int status = 0;  ///< what the work returned; `failure` where it threw, with a message
  int signal = 0;  ///< that ended the process; 0 none
};

/// While this process has one thread. Waits for it; where no process can be made the work is done here. When this
/// process is killed, so is the other.
Outcome do_apart(const std::function<int()>& work);

/// ", since converting was killed by signal 9 (Killed), probably for lack of memory"
std::string why_not_done(const char* what, const Outcome& outcome);

}  // namespace tracer::cli
