// SPDX-License-Identifier: BSD-3-Clause
// The umask: a command opens again what it has made, and its program has the umask that is given.
#pragma once

namespace tracer::cli {

/// From now on the umask takes nothing from the user himself: what others may do is as it says. Once, while there is
/// one thread.
void keep_rights_of_the_user() noexcept;

/// The umask is again as this process was started with. For a child between fork and exec.
void restore_umask() noexcept;

}  // namespace tracer::cli
