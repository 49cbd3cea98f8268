// SPDX-License-Identifier: BSD-3-Clause
// The signal at which a flight recorder writes its events (TRACER_FLUSH_SIGNAL).
#pragma once

namespace tracer {

/// From here on `signal` flushes the current session; 0: none does. A handler that the program has for it is called
/// as well, as the program installed it.
void flush_at(int signal) noexcept;
/// Whether the program has left it so. True for 0.
bool flushes_at(int signal) noexcept;

}  // namespace tracer
