// SPDX-License-Identifier: BSD-3-Clause
// Follows a running process from outside: stops at breakpoints, new threads, signals, its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "tracer/ompd/breakpoints.hpp"
#include "tracer/ompd/target/live_target.hpp"

namespace tracer::ompd {

class RuntimeAccess;

struct Hit {
  Point point;
  std::uint64_t thread;  ///< OS thread id; stopped while the observer looks
  std::uint64_t caller;  ///< run-time address behind the runtime's call
  std::uint64_t time;    ///< ns of CLOCK_MONOTONIC, read when the stop was seen
};

enum class FollowEnd : std::uint8_t { time_over, interrupted, exited, executed, full };  ///< full: see is_full

/// As for PTRACE_SEIZE: new threads, and copies of the process, are reported.
unsigned long follow_options() noexcept;

/// Takes the stopped threads of `target` over. `run` lets them go and returns with the process
/// detached: as it was, or gone. To be used by the thread that made `target`, in a process without
/// other children; SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked in it from here on.
class Follower {
 public:
  struct Observer {
    /// True: stop this thread again a moment later, for `look`.
    std::function<bool(const Hit&)> hit;
    std::function<void(std::uint64_t thread, std::uint64_t time)> look;
    std::function<void(std::uint64_t thread)> thread_born;
    std::function<void(std::uint64_t thread, std::uint64_t time)> thread_gone;
    std::function<bool()> is_full;  ///< it takes no more: the process is let go
  };
  Follower(LiveTarget& target, RuntimeAccess& session, TargetPatches& repairs, Observer observer);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// `limit` 0: until a signal, or the end of the process.
  FollowEnd run(std::chrono::nanoseconds limit);
  /// The exit status as waitpid gives it, after FollowEnd::exited.
  int exit_status() const noexcept { return exit_status_; }

 private:
  void handle(std::uint64_t thread, int status);
  void handle_event(std::uint64_t thread, int status);
  void handle_birth(std::uint64_t born, bool may_share);
  void let_go(std::uint64_t copy, std::optional<bool> may_share);
  std::optional<bool> shares_memory(std::uint64_t copy) const;
  bool handle_trap(std::uint64_t thread);
  std::chrono::nanoseconds start_looks();
  void handle_end(std::uint64_t thread, int status);
  /// A thread of the process, not one of a copy.
  bool is_ours(std::uint64_t thread) const;
  void resume(std::uint64_t thread, int signal) noexcept;
  void collect_all();
  bool caught_unreported(std::uint64_t thread) const;
  void detach() noexcept;

  /// Before the first breakpoint: a signal must not end this process while there is one.
  struct SignalsBlocked {
    SignalsBlocked();
  };
  SignalsBlocked blocked_;
  LiveTarget& target_;
  Breakpoints breakpoints_;
  Observer observer_;
  std::set<std::uint64_t> running_;
  std::map<std::uint64_t, int> stopped_;  ///< with the signal to deliver
  std::set<std::uint64_t> copies_;        ///< stopped processes that wait for their parent's event
  /// Threads and copies whose first stop is still to come, and whether such copies may share the process's memory.
  std::map<std::uint64_t, bool> expected_;
  std::map<std::uint64_t, std::chrono::steady_clock::time_point> looks_;  ///< requested, and when
  std::set<std::uint64_t> looking_;                                       ///< interrupted for it
  std::optional<FollowEnd> end_;
  int exit_status_ = 0;
  bool leaving_ = false;
};

}  // namespace tracer::ompd
