// SPDX-License-Identifier: BSD-3-Clause
// The processors that the process may use, as they were before the OpenMP runtime bound its threads: a thread
// that a bound one creates inherits the one processor.
#pragma once

namespace tracer {

/// Notes the calling thread's processors, once; before the runtime binds it.
void remember_processors() noexcept;

/// How many were noted, or how many the calling thread may use when none were; at least 1.
unsigned usable_processors() noexcept;

/// Lets the calling thread, one of ours, run on all that were noted.
void run_on_usable_processors() noexcept;

}  // namespace tracer
