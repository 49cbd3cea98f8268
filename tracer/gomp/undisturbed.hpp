// SPDX-License-Identifier: BSD-3-Clause
// What happens at a thread's first calls takes locks, memory and stack: it runs undisturbed and with room.
#pragma once

namespace tracer::gomp {

/// Calls function(data) with all signals blocked but those of faults, without being cancelled, and on a stack of its
/// own where the thread's has little left. A handler that calls libgomp would wait for what the interrupted code holds;
/// threads of programs may have 16 KiB of stack.
void undisturbed(void (*function)(void*), void* data) noexcept;
/// The calling thread is in undisturbed(): it comes from the program's own malloc().
bool is_undisturbed() noexcept;

template <class Call>
void undisturbed(Call& call) noexcept {
  undisturbed([](void* data) { (*static_cast<Call*>(data))(); }, &call);
}

}  // namespace tracer::gomp
