// SPDX-License-Identifier: BSD-3-Clause
// What a forked child does with its parent's session: leave it alone, and make its own when it uses OpenMP.
#pragma once

#include <mutex>

#include "tracer/session/session.hpp"
#include "tracer/undisturbed.hpp"

namespace tracer {

/// A mutex that the handlers of fork (pthread_atfork) hold until it has returned. The thread that forks takes no signal
/// meanwhile: a handler of the program that records would wait for what its own thread holds.
class ForkLock {
 public:
  constexpr explicit ForkLock(std::mutex& mutex) noexcept : mutex_(mutex) {}
  void take() noexcept {
    Disturbances disturbances;
    disturbances.stop();
    mutex_.lock();
    disturbances_ = disturbances;
  }
  void give_back() noexcept {
    const Disturbances disturbances = disturbances_;
    mutex_.unlock();
    disturbances.resume();
  }

 private:
  std::mutex& mutex_;
  Disturbances disturbances_{};  ///< of the thread that has it
};

/// A runtime may deliver thread_begin inside fork(), also to children that never use OpenMP. So the child's first
/// thread gets a ring of a few records in the process's own memory; only a record that does not fit, or that shows a
/// use of OpenMP or MPI, makes a session.
struct Forks {
  static void before() noexcept;
  static void in_parent() noexcept;
  static void in_child() noexcept;
  /// True in a forked child that has no session of its own yet.
  static bool is_undecided() noexcept;
  /// The small ring of an undecided child's first thread; nullptr for the other threads.
  static Channel* first_channel() noexcept;
  /// Records into the small ring, or leaves it and records.
  static void emit_first(const Record& record, const Record* more) noexcept;
  /// Makes the session, unless there is one, and moves what the calling thread's small ring holds into it. Nothing
  /// where the thread has another ring, or none.
  static void leave_first_channel() noexcept;
  /// A child, or the thread that has that ring, ends with a few records of a front end in it: makes the session, and
  /// moves them if they are the calling thread's.
  static void make_session_of_words() noexcept;
  /// The child's own session.
  static Session* make_session() noexcept;

 private:
  static void leave_to_parent(Session& session) noexcept;
  static void leave_first_records() noexcept;
};

}  // namespace tracer
