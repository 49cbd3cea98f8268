// SPDX-License-Identifier: BSD-3-Clause
// What a forked child does with its parent's session: leave it alone, and make its own when it uses OpenMP.
#pragma once

#include "tracer/session/session.hpp"

namespace tracer {

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
  /// A child ends with a few records of a front end in that ring: makes the session, and moves them.
  static void make_session_of_words() noexcept;
  /// The child's own session.
  static Session* make_session() noexcept;
};

}  // namespace tracer
