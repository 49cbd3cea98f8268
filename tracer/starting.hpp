// SPDX-License-Identifier: BSD-3-Clause
// Who may begin the run: one thread at a time, and none while another forks.
#pragma once

#include <mutex>

namespace tracer::tool {

/// Held by the thread that begins or joins the run, and around fork.
extern constinit std::mutex starting;

/// `starting`, unless `may_await_caller` says first that its holder, or whom the holder waits for, may be waiting for
/// the caller: nothing is locked then.
std::unique_lock<std::mutex> lock_unless(bool (*may_await_caller)() noexcept) noexcept;

/// `starting`, or nothing where it is not free for five seconds: a signal's handler that calls exit() may have
/// interrupted its holder, who starts devices.
std::unique_lock<std::mutex> lock_for_the_end() noexcept;

/// On the thread on which a runtime starts the tool, from accept() to the end of start(). The runtime holds a lock of
/// its own meanwhile (libomp 14: __kmp_initz_lock): a child that is forked then would wait for that lock without end.
class WhileStarting {
 public:
  WhileStarting() noexcept;
  ~WhileStarting();
  WhileStarting(const WhileStarting&) = delete;
  WhileStarting& operator=(const WhileStarting&) = delete;
  /// The runtime will call start().
  void continue_in_start() noexcept { continues_ = true; }

 private:
  bool continues_ = false;
};

/// The calling thread is in a WhileStarting.
bool this_thread_starts() noexcept;

/// Before `starting` is taken. Registers the handlers of fork, the session's as well, once; a child calls `in_child`
/// under the lock.
void prepare_for_forks(void (*in_child)());

}  // namespace tracer::tool
