// SPDX-License-Identifier: BSD-3-Clause
// Calls by sys.monitoring, which Python has since 3.12: functions that are not recorded cost nothing, and the program's
// own profilers are not in the way.
#pragma once

namespace tracer::python {

/// On the thread that runs the program, before it runs. False: there is no such module, or no number for a tool is
/// free.
bool begin_monitoring() noexcept;

}  // namespace tracer::python
