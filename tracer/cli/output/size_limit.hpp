// SPDX-License-Identifier: BSD-3-Clause
// Commands that meet the limit of file sizes (ulimit -f).
#pragma once

namespace tracer::cli {

/// From now on a write beyond the limit fails, and the command reports it and removes what it has begun: the kernel's
/// SIGXFSZ would end it at once. Programs that it starts get the signal as they would without it.
void fail_at_size_limit() noexcept;

}  // namespace tracer::cli
