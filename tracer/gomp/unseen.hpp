// SPDX-License-Identifier: BSD-3-Clause
// Warns, once, of calls to libgomp that cannot be recorded.
#pragma once

#include <cstdint>

namespace tracer::gomp {

/// Names, in the trace's counters, the functions of OpenMP and OpenACC that the object at the address refers to and
/// that are not listened to; their calls are not counted.
void name_unknown_functions(std::uintptr_t address) noexcept;
/// In a forked child: its trace has none yet.
void forget_named() noexcept;

/// Reports which objects call libgomp without coming by here: opened with RTLD_DEEPBIND, they look for names in their
/// own libraries first. Before a library is closed, and at the end.
void look_for_unseen_calls() noexcept;

}  // namespace tracer::gomp
