// SPDX-License-Identifier: BSD-3-Clause
// See passed_signals.hpp.
#include "tracer/cli/launch/passed_signals.hpp"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "tracer/base/clock.hpp"

namespace tracer::cli {
namespace {

std::atomic<pid_t> signals_go_to{0};

/// CLOCK_MONOTONIC's second in which the program ended.
std::atomic<time_t> program_ended_in{0};

time_t monotonic_second() noexcept {
  return static_cast<time_t>(read_monotonic() / 1'000'000'000);
}

/// Signals that an instruction of this process may raise.
bool may_be_fault(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

/// Signals that a terminal sends to a whole process group: SIGHUP only when the session's leader has gone. A terminal
/// that hangs up tells the leader alone.
bool is_of_terminal_to_group(int signal) noexcept {
  return signal == SIGINT || signal == SIGQUIT || signal == SIGWINCH || (signal == SIGHUP && getsid(0) != getpid());
}

bool is_passed_on(int signal) noexcept {
  switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGCHLD:
      return false;
    default:
      return signal <= SIGSYS || signal >= SIGRTMIN;  // those between are the C library's
  }
}

// Not for the program: what this process sends itself, by abort(), or by a write into a closed pipe or beyond a limit;
// what the program sends to its parent, or to its group, and so to itself; what a terminal sends to the group, unless
// the program has left it.
bool is_for_program(const siginfo_t& info, pid_t program) noexcept {
  if (info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL)
    return info.si_pid != getpid() && info.si_pid != program;
  if (info.si_code == SI_KERNEL && is_of_terminal_to_group(info.si_signo)) return getpgid(program) != getpgrp();
  return true;
}

void end_by(int signal) noexcept {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  raise(signal);  // comes when the handler returns
}

void while_program_runs(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  const pid_t program = signals_go_to.load();
  if (may_be_fault(signal) && info->si_code > 0) {
    end_by(signal);
  } else if (program > 0 && is_for_program(*info, program)) {
    if (info->si_code == SI_QUEUE)
      sigqueue(program, signal, info->si_value);
    else
      kill(program, signal);
  }
  errno = saved;
}

// Whoever ends a program sends its signal twice (timeout(1): to its child, then to the group) or to all (a terminal):
// what ended the program must not also end the making of its trace. Later on it does what it always does.
void after_the_end(int signal) {
  const int saved = errno;
  if (signal != SIGHUP && monotonic_second() - program_ended_in.load() > 1) end_by(signal);
  errno = saved;
}

/// After the program's end, for signals that had their default effect.
sighandler_t handler_after(int signal) noexcept {
  switch (signal) {
    case SIGUSR1:  // of batch systems, before a job's time is over
    case SIGUSR2:
    case SIGXCPU:
    case SIGALRM:
    case SIGVTALRM:
    case SIGPROF:
    case SIGPWR:
    case SIGPIPE:  // whoever reads the messages may have gone
      return SIG_IGN;
    default:
      return may_be_fault(signal) ? SIG_DFL : after_the_end;
  }
}

}  // namespace

PassedSignals::PassedSignals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &mask_);
  struct sigaction action {};
  action.sa_sigaction = while_program_runs;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (int signal = 1; signal < NSIG; ++signal)
    if (is_passed_on(signal)) sigaction(signal, &action, &before_[signal]);
  action = {};
  action.sa_handler = SIG_DFL;  // where it is ignored nobody learns how a child ended
  sigaction(SIGCHLD, &action, &before_[SIGCHLD]);
}

void PassedSignals::restore() const {
  for (int signal = 1; signal < NSIG; ++signal)
    if (is_passed_on(signal) || signal == SIGCHLD) sigaction(signal, &before_[signal], nullptr);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

void PassedSignals::pass_to(pid_t program) const {
  signals_go_to.store(program);
  sigset_t blocked = mask_;
  for (int signal = 1; signal < NSIG; ++signal)
    if (is_passed_on(signal)) sigdelset(&blocked, signal);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

void PassedSignals::program_has_ended() const {
  program_ended_in.store(monotonic_second());
  signals_go_to.store(0);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (!is_passed_on(signal)) continue;
    const struct sigaction& before = before_[signal];
    struct sigaction after {};
    after.sa_handler = handler_after(signal);
    after.sa_flags = SA_RESTART;
    sigaction(signal, before.sa_handler == SIG_DFL ? &after : &before, nullptr);
  }
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace tracer::cli
