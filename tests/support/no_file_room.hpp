// SPDX-License-Identifier: BSD-3-Clause
// A process in which every write to a file is beyond RLIMIT_FSIZE, and whose SIGXFSZ would end it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tracer::test {

/// Whether `work()`, in such a forked child, returns true.
template <class Work>
bool holds_without_file_room(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_DFL);
    const rlimit none{};
    bool holds = false;
    try {
      holds = ::setrlimit(RLIMIT_FSIZE, &none) == 0 && work();
    } catch (...) {  // the child is no test of its own
    }
    ::_exit(holds ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tracer::test
