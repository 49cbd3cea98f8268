// SPDX-License-Identifier: BSD-3-Clause
// Signals that come to `tracer run` alone are the program's; those that end the program leave time to make its trace.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>

namespace tracer::cli {

/// What this process does with signals before, while and after the program runs. One of these at a time, in the thread
/// that starts the program. Job control (SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT) has its usual effect.
class PassedSignals {
 public:
  /// All signals are blocked, until there is somebody to pass them on to.
  PassedSignals();
  /// Dispositions and the mask are again what they were: for the program itself, or where none can be started.
  void restore() const;
  /// From here on they go to `program`, also those that were blocked at the start of this process.
  void pass_to(pid_t program) const;
  /// The program has ended: what ended it must not also end the making of its trace.
  void program_has_ended() const;

 private:
  std::array<struct sigaction, NSIG> before_{};
  sigset_t mask_{};
};

}  // namespace tracer::cli
