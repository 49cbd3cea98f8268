// SPDX-License-Identifier: BSD-3-Clause
// See child_process.hpp.
#include "tracer/cli/launch/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>

#include "tracer/base/files/file.hpp"
#include "tracer/cli/launch/launch.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"

namespace tracer::cli {
namespace {

/// Of all processes that take memory the system ends this one first.
void offer_to_the_killer() noexcept {
  const UniqueFd fd{::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)};
  if (fd) [[maybe_unused]]
    const auto written = ::write(fd.get(), "1000", 4);
}

/// All that the work has printed is written, or it has failed.
int guarded(const std::function<int()>& work) {
  try {
    const int status = work();
    flush_output();
    return status;
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return failure;
}

}  // namespace

Outcome do_apart(const std::function<int()>& work) {
  std::fflush(nullptr);
  std::cout.flush();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const int status = guarded(work);
    forget_output();  // its failure is the work's, as it would be in a process of its own
    return {status, 0};
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(failure);  // it died before the line above
    offer_to_the_killer();
    const int status = guarded(work);
    std::fflush(nullptr);
    std::cout.flush();
    ::_exit(status);
  }
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) return {failure, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

std::string why_not_done(const char* what, const Outcome& outcome) {
  return std::string{what} + " was killed by signal " + std::to_string(outcome.signal) + " (" +
         ::strsignal(outcome.signal) + ")" + (outcome.signal == SIGKILL ? ", probably for lack of memory" : "");
}

}  // namespace tracer::cli
