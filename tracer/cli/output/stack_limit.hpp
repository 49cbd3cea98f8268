// SPDX-License-Identifier: BSD-3-Clause
// Commands under a small limit of the stack (ulimit -s).
#pragma once

#include <functional>

namespace tracer::cli {

/// What `work` returns or throws. Where the limit leaves the main thread less stack than commands need (a conversion
/// about 150 KiB), the work is done on a thread with a larger one while this thread waits. Programs that it starts have
/// the limit as it is.
int on_enough_stack(const std::function<int()>& work);

}  // namespace tracer::cli
