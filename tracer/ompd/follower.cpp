// SPDX-License-Identifier: BSD-3-Clause
// The ptrace loop. The kernel's rules (ptrace(2)): a stop is reported once, a thread may end at any
// time, and a detach needs the thread stopped.
#include "tracer/ompd/follower.hpp"

#include <linux/kcmp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "tracer/base/clock.hpp"
#include "tracer/ompd/runtime.hpp"
#include "tracer/ompd/target/registers.hpp"

namespace tracer::ompd {
namespace {

using Clock = std::chrono::steady_clock;

sigset_t awaited() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

bool stops_by_job_control(int signal) noexcept {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

std::uint64_t event_message(std::uint64_t thread) noexcept {
  unsigned long message = 0;
  ptrace(PTRACE_GETEVENTMSG, static_cast<pid_t>(thread), nullptr, &message);
  return message;
}

/// From the begin of a region to its team being there.
constexpr auto look_delay = std::chrono::microseconds{100};
constexpr std::chrono::nanoseconds longest_pause{999'999'999};

/// Stops that are waited for at the end; more than this long none is awaited.
constexpr auto patience = std::chrono::seconds{10};

}  // namespace

unsigned long follow_options() noexcept {
  return PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
}

Follower::SignalsBlocked::SignalsBlocked() {
  const sigset_t set = awaited();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

Follower::Follower(LiveTarget& target, RuntimeAccess& session, TargetPatches& repairs, Observer observer)
    : target_(target), breakpoints_(session, repairs), observer_(std::move(observer)) {
  for (const auto& [thread, stop] : target.release()) {
    running_.insert(thread);
    if (stop.by_job_control)
      ptrace(PTRACE_LISTEN, static_cast<pid_t>(thread), nullptr, nullptr);
    else
      ptrace(PTRACE_CONT, static_cast<pid_t>(thread), nullptr, stop.signal);
  }
}

Follower::~Follower() {
  if (!running_.empty() || !stopped_.empty()) detach();
}

FollowEnd Follower::run(std::chrono::nanoseconds limit) {
  const sigset_t set = awaited();
  const auto deadline = Clock::now() + limit;
  while (!end_) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
    if (thread < 0 && errno == ECHILD) {
      end_ = FollowEnd::exited;
      break;
    }
    if (thread > 0) handle(static_cast<std::uint64_t>(thread), status);
    if (!end_ && observer_.is_full && observer_.is_full()) end_ = FollowEnd::full;
    if (end_) break;
    // Blocked signals stay pending: one that comes between waitpid() and sigtimedwait() is not missed.
    std::chrono::nanoseconds pause = start_looks();
    if (limit.count() > 0) {
      const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now());
      if (left.count() <= 0) {
        end_ = FollowEnd::time_over;
        break;
      }
      pause = std::min(pause, left);
    }
    if (thread > 0) pause = {};  // the next event may be there already; a program can have one at every moment
    const timespec timeout{0, static_cast<long>(pause.count())};
    const int signal = sigtimedwait(&set, nullptr, &timeout);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) end_ = FollowEnd::interrupted;
  }
  detach();
  return *end_;
}

/// Interrupts the threads whose time has come. How long until the next.
std::chrono::nanoseconds Follower::start_looks() {
  std::chrono::nanoseconds next = longest_pause;
  for (auto look = looks_.begin(); look != looks_.end();) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(look->second - Clock::now());
    if (left.count() > 0) {
      next = std::min(next, left);
      ++look;
      continue;
    }
    if (ptrace(PTRACE_INTERRUPT, static_cast<pid_t>(look->first), nullptr, nullptr) == 0) looking_.insert(look->first);
    look = looks_.erase(look);
  }
  return next;
}

void Follower::resume(std::uint64_t thread, int signal) noexcept {
  if (leaving_) {
    stopped_[thread] = signal;
    running_.erase(thread);
    return;
  }
  ptrace(PTRACE_CONT, static_cast<pid_t>(thread), nullptr, signal);
}

bool Follower::is_ours(std::uint64_t thread) const {
  return status_field(thread, "Tgid") == std::to_string(target_.process_id());
}

void Follower::handle(std::uint64_t thread, int status) {
  if (!WIFSTOPPED(status)) return handle_end(thread, status);
  if (!running_.contains(thread)) {  // born, or a copy of the process: before or after its parent's event
    const auto expected = expected_.find(thread);
    std::optional<bool> may_share;
    if (expected != expected_.end()) {
      may_share = expected->second;
      expected_.erase(expected);
    }
    if (!is_ours(thread)) return let_go(thread, may_share);
    running_.insert(thread);
    if (observer_.thread_born) observer_.thread_born(thread);
  }
  if (status >> 16 != 0) return handle_event(thread, status);
  const int signal = WSTOPSIG(status);
  if (signal == SIGTRAP && handle_trap(thread)) return resume(thread, 0);
  resume(thread, signal);
}

void Follower::handle_event(std::uint64_t thread, int status) {
  switch (status >> 16) {
    case PTRACE_EVENT_FORK:
      handle_birth(event_message(thread), false);
      break;
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:  // a thread, or a copy of which no SIGCHLD tells that it has ended
      handle_birth(event_message(thread), true);
      break;
    case PTRACE_EVENT_EXEC:  // another program now, without our breakpoints
      // The thread has the process's id now, and no other is left; of its own id no end is reported.
      running_ = {thread};
      end_ = FollowEnd::executed;
      leaving_ = true;
      break;
    case PTRACE_EVENT_STOP:
      if (looking_.erase(thread) != 0 && observer_.look) observer_.look(thread, read_monotonic());
      if (stops_by_job_control(WSTOPSIG(status)) && !leaving_) {
        ptrace(PTRACE_LISTEN, static_cast<pid_t>(thread), nullptr, nullptr);
        return;
      }
      break;
    default:
      break;
  }
  resume(thread, 0);
}

/// The parent's event: the stop of what is born comes before or after it.
void Follower::handle_birth(std::uint64_t born, bool may_share) {
  if (copies_.erase(born) != 0) return let_go(born, may_share);
  if (running_.contains(born) || stopped_.contains(born)) return;
  if (status_field(born, "TracerPid") == std::to_string(getpid())) expected_[born] = may_share;
}

// A copy of the process has the breakpoints in its own text, if it does not share the process's, and nobody who handles
// them. Where the kernel does not tell which it is, the parent's event does: `may_share`.
void Follower::let_go(std::uint64_t copy, std::optional<bool> may_share) {
  std::optional<bool> shares = shares_memory(copy);
  if (!shares) shares = may_share;
  if (!shares) {
    copies_.insert(copy);
    return;
  }
  if (!*shares) breakpoints_.remove_from(copy);
  ptrace(PTRACE_DETACH, static_cast<pid_t>(copy), nullptr, nullptr);
}

/// nullopt: the kernel does not tell. A thread that has ended has no memory any more.
std::optional<bool> Follower::shares_memory(std::uint64_t copy) const {
  bool is_known = running_.empty() && stopped_.empty();
  const auto shares = [&](std::uint64_t thread) {
    const long order =
        syscall(SYS_kcmp, static_cast<pid_t>(thread), static_cast<pid_t>(copy), KCMP_VM, 0ul, 0ul);  // 0: the same
    is_known = is_known || order > 0;
    return order == 0;
  };
  if (std::any_of(running_.begin(), running_.end(), shares) ||
      std::any_of(stopped_.begin(), stopped_.end(), [&](const auto& stopped) { return shares(stopped.first); }))
    return true;
  return is_known ? std::optional{false} : std::nullopt;
}

bool Follower::handle_trap(std::uint64_t thread) {
  const std::uint64_t time = read_monotonic();
  const auto registers = target_.registers(thread);
  const auto point = registers ? breakpoints_.hit(registers->pc) : std::nullopt;
  if (!point) return false;  // the program's own
  const std::uint64_t caller = return_from_breakpoint(target_, thread);
  if (observer_.hit && observer_.hit({*point, thread, caller, time})) looks_[thread] = Clock::now() + look_delay;
  return true;
}

void Follower::handle_end(std::uint64_t thread, int status) {
  const bool known = running_.erase(thread) != 0;
  stopped_.erase(thread);
  expected_.erase(thread);
  copies_.erase(thread);
  if (known && observer_.thread_gone) observer_.thread_gone(thread, read_monotonic());
  if (thread != target_.process_id()) return;  // the main thread's end is reported after those of all others
  exit_status_ = status;
  end_ = FollowEnd::exited;
}

// A thread can have executed a breakpoint whose signal the kernel has not reported yet; detached like
// that it would die of it.
bool Follower::caught_unreported(std::uint64_t thread) const {
  const auto registers = target_.registers(thread);
  return registers && breakpoints_.hit(registers->pc).has_value();
}

/// Stops every thread, with the breakpoints they have run into dealt with, and lets copies go.
void Follower::collect_all() {
  leaving_ = true;
  for (const std::uint64_t thread : running_) ptrace(PTRACE_INTERRUPT, static_cast<pid_t>(thread), nullptr, nullptr);
  const sigset_t set = awaited();
  const auto deadline = Clock::now() + patience;
  while (!(running_.empty() && expected_.empty()) && Clock::now() < deadline) {
    int status = 0;
    const pid_t got = waitpid(-1, &status, __WALL | WNOHANG);
    if (got < 0) break;
    if (got == 0) {
      const timespec pause{0, 5'000'000};
      sigtimedwait(&set, nullptr, &pause);
      continue;
    }
    const auto thread = static_cast<std::uint64_t>(got);
    if (WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP && running_.contains(thread) &&
        caught_unreported(thread)) {
      ptrace(PTRACE_CONT, got, nullptr, nullptr);  // its SIGTRAP comes next
      continue;
    }
    handle(thread, status);
  }
}

void Follower::detach() noexcept {
  try {
    collect_all();
  } catch (...) {  // no memory: what was stopped is detached below
  }
  for (const std::uint64_t copy : copies_) let_go(copy, true);
  copies_.clear();
  if (end_ != FollowEnd::executed) breakpoints_.remove();
  for (const auto& [thread, signal] : stopped_) ptrace(PTRACE_DETACH, static_cast<pid_t>(thread), nullptr, signal);
  stopped_.clear();
  running_.clear();
}

}  // namespace tracer::ompd
