// SPDX-License-Identifier: BSD-3-Clause
// Samples that a thread takes of itself in a signal's handler: the runtime's state and wait id, the tasks' frames and
// the call stack.
//
//   armed   a timer of the thread's processor time, which the kernel looks at at its ticks
//   handler writes the thread's SignalRing; the drainer reads it
//   ended   on the thread: nobody's from then on; at the run's end: stop(), the memory stays
//
// The signal is SIGURG where the program has no handler for it: its default is to be ignored, so that a program that
// sets all signals to their defaults, or replaces itself, is not ended by one of ours. Else the last real-time signal
// that nobody has.
//
// The handler leaves the thread's mask as it is: a signal that the main thread blocks, Linux gives to another thread.
// So the program's handlers run on top of this one, and may leave by longjmp: what it does is right wherever it ends
// (signal_ring.hpp). No descriptor stays open: programs close those that they have not opened, and open their own.
//
// An event of perf_event_open would signal at any rate. But its signal may be pending while the thread waits for a
// processor, and Linux then gives the process's signals to another thread too, whose handlers may jump into the main
// thread's stack. Timers signal on the way back to the program's code (Linux 5.10).
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>

#include "tracer/asked_runtime.hpp"
#include "tracer/sample/perf_thread.hpp"
#include "tracer/sample/signal_ring.hpp"
#include "tracer/sample/stack_walk.hpp"

namespace tracer::sample {

/// Takes a signal for this process and installs the handler. 0 or the errno: EBUSY when all are in use. Once; a forked
/// child has its parent's.
int take_signal() noexcept;
/// The number; 0 before take_signal().
int sampling_signal() noexcept;
/// Whether the program has left it to us.
bool signal_is_ours() noexcept;
/// From now on the handlers query nothing (nullptr) or this. One may still be at the one before:
/// SignalThread::is_asking().
void set_ask(AskRuntime ask) noexcept;

/// The kernel's tick in ns: timers of processor time are not looked at more often.
std::uint64_t tick_ns() noexcept;

class SignalThread {
 public:
  SignalThread() = default;
  SignalThread(const SignalThread&) = delete;
  SignalThread& operator=(const SignalThread&) = delete;
  ~SignalThread() { stop(); }

  /// On the thread to be sampled, from now on; `period_ns` of its processor time between two samples, or a tick. 0 or
  /// the errno.
  int start(std::uint64_t period_ns) noexcept;
  /// On that thread: no handler of it will look at this any more.
  void end() noexcept;
  /// Any thread: takes no more samples. The memory must stay: a handler may be at it.
  void stop() noexcept;
  /// ns of processor time between two samples, as the timer was set.
  std::uint64_t period_ns() const noexcept { return period_ns_; }
  /// After stop(), of a timer: ns of processor time that its thread used meanwhile. Else 0: the period is as wished
  /// for.
  std::uint64_t used_ns() const noexcept { return used_ns_; }

  /// Whether a handler of this thread may be at the runtime: for some microseconds, or until the next sample where the
  /// program has left it.
  bool is_asking() const noexcept { return is_asking_.load(); }

  /// One thread at a time. Entries' channel is left 0.
  void drain(const PerfThread::Visit& visit);

  /// The handler's; async-signal-safe.
  void take(const void* context) noexcept;

 private:
  int start_timer() noexcept;
  bool interrupts_itself(std::uint64_t here) noexcept;
  template <std::size_t most>
  void write_sample(const void* context) noexcept;

  std::unique_ptr<SignalRing> ring_;
  StackBounds bounds_;
  std::uint64_t period_ns_ = 0;
  std::uint64_t begun_at_ = 0, used_ns_ = 0;  ///< of the thread's clock
  clockid_t clock_{};
  std::uint64_t every_ = 1, signals_ = 0;  ///< every so-manieth signal is a sample
  std::atomic<bool> is_armed_{false}, is_asking_{false};
  bool has_timer_ = false;
  timer_t timer_{};
  /// The handler that runs: where on the stack it has left which mark. 0 none.
  std::atomic<std::uint64_t> mark_at_{0}, mark_{0};
  std::atomic<unsigned> passed_over_{0};
};

}  // namespace tracer::sample
