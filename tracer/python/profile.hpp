// SPDX-License-Identifier: BSD-3-Clause
// Calls by a profile function, for interpreters without sys.monitoring: before 3.12.
#pragma once

namespace tracer::python {

/// On the thread that runs the program, before it runs; its further threads follow.
void begin_profile() noexcept;
/// Somebody sets a profile function in this thread, perhaps we. False: it was not ours that was there.
bool end_profile() noexcept;

}  // namespace tracer::python
