// SPDX-License-Identifier: BSD-3-Clause
// Starts a program with a changed environment and waits for it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tracer::cli {

using Environment = std::vector<std::pair<std::string, std::string>>;  ///< an empty value removes the name

struct Ended {
  pid_t process = 0;
  int exit_status = 0;             ///< as a shell gives it: 128 + signal when a signal ended it
  int signal = 0;                  ///< 0: it ended by itself
  std::uint64_t monotonic_ns = 0;  ///< when that was
  int start_error = 0;             ///< errno when it could not be started
};

/// Runs `command` as execvp does, with its standard streams. Signals to this process go to it (passed_signals.hpp) and
/// leave this process alive to look after the trace.
/// `started` is called with its process when that is there. Throws Error where no process can be made, and where the
/// environment with the changes is longer than the system takes; signals are as before.
Ended run_program(const std::vector<std::string>& command, const Environment& changes,
                  const std::function<void(pid_t)>& started = {});

/// This process becomes `command`, with the limit of open files and the umask that it was started with. Returns errno
/// where it cannot.
int run_in_place(const std::vector<std::string>& command);

/// As a shell ends where a program cannot be started: 127 if it is not there, else 126. `error`: of run_in_place().
int status_of_start(int error) noexcept;

/// How a child ended, by waitpid(2), however often a signal comes meanwhile.
int wait_for(pid_t process);

/// What `command` writes to standard output; its errors are discarded, "" when it cannot be started.
std::string output_of(const std::vector<std::string>& command, const Environment& changes);

}  // namespace tracer::cli
