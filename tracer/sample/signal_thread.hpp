// SPDX-License-Identifier: BSD-3-Clause
// Samples that a thread takes of itself in a signal's handler: the runtime's state and wait id, the tasks' frames and
// the call stack.
//
//   armed   a timer of the thread's processor time (the kernel looks at it at its ticks), or an event of
//           perf_event_open that signals, where that is allowed (exact, at any rate)
//   handler writes the thread's SignalRing; the drainer reads it
//   ended   on the thread: nobody's from then on; at the run's end: stop(), the memory stays
//
// The signal is SIGURG where the program has no handler for it: its default is to be ignored, so that a program that
// sets all signals to their defaults, or replaces itself, is not ended by one of ours. Else the last real-time signal
// that nobody has.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>

#include "formats/raw/samples.hpp"
#include "tracer/asked_runtime.hpp"
#include "tracer/base/file.hpp"
#include "tracer/sample/perf_thread.hpp"
#include "tracer/sample/signal_ring.hpp"
#include "tracer/sample/stack_walk.hpp"

namespace tracer::sample {

/// Takes a signal for this process and installs the handler. 0 or the errno: EBUSY when all are in use. Once.
int take_signal() noexcept;
/// The number; 0 before take_signal().
int sampling_signal() noexcept;
/// Whether the program has left it to us.
bool signal_is_ours() noexcept;
/// From now on the handler asks nobody (nullptr) or this. Returns when no handler is at the one before any more, or
/// after 100 ms.
void set_ask(AskRuntime ask) noexcept;

/// The kernel's tick in ns: timers of processor time are not looked at more often.
std::uint64_t tick_ns() noexcept;

struct SignalOptions {
  std::uint64_t period_ns = 0;
  bool by_perf = false;  ///< try an event first
};

class SignalThread {
 public:
  SignalThread() = default;
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;
  ~SignalThread() { stop(); }

  /// On the thread to be sampled, from now on. 0 or the errno.
  int start(const SignalOptions& options) noexcept;
  /// On that thread: no handler of it will look at this any more.
  void end() noexcept;
  /// Any thread: takes no more samples. The memory must stay: a handler may be at it.
  void stop() noexcept;
  /// ns of processor time between two samples, as it was wished for.
  std::uint64_t period_ns() const noexcept { return period_ns_; }
  /// After stop(), of a timer: ns of processor time that its thread used meanwhile. Else 0: the period is as wished
  /// for.
  std::uint64_t used_ns() const noexcept { return used_ns_; }

  /// One thread at a time. Entries' channel is left 0.
  void drain(const PerfThread::Visit& visit);

  /// The handler's; async-signal-safe.
  void take(const void* context) noexcept;

 private:
  int start_event() noexcept;
  int start_timer() noexcept;
  void write_sample(const void* context) noexcept;

  std::unique_ptr<SignalRing> ring_;
  StackBounds bounds_;
  std::uint64_t period_ns_ = 0;
  std::uint64_t begun_at_ = 0, used_ns_ = 0;  ///< of the thread's clock
  clockid_t clock_{};
  std::uint64_t every_ = 1, signals_ = 0;  ///< every so-manieth signal is a sample
  std::atomic<bool> is_armed_{false}, is_inside_{false};
  bool has_timer_ = false;
  timer_t timer_{};
  std::atomic<int> event_{-1};  ///< descriptor
};

}  // namespace tracer::sample
