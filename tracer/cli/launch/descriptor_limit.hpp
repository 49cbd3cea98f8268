// SPDX-License-Identifier: BSD-3-Clause
// The limit of open files (RLIMIT_NOFILE, ulimit -n): what this command needs beside what its program may have.
#pragma once

namespace tracer::cli {

/// Raises this process's soft limit to 1024, or to the hard limit where that is lower. Once, while there is one thread.
void raise_descriptor_limit() noexcept;

/// The soft limit is again as this process was started with. For a child between fork and exec.
void restore_descriptor_limit() noexcept;

/// Whether that many files can be opened, beside those that are open.
bool can_open(int files);

}  // namespace tracer::cli
