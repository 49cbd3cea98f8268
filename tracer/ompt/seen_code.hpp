// SPDX-License-Identifier: BSD-3-Clause
// The modules whose code this thread met last. Code in another one is looked up before it is recorded: its library may
// be closed again before the drainer looks around, and with it the source line would be gone.
#pragma once

#include "tracer/ompt/emit.hpp"
#include "tracer/session/modules.hpp"

namespace tracer::ompt {

inline constexpr unsigned remembered_code = 4;
extern constinit thread_local CodeRange known_code[remembered_code] __attribute__((tls_model("initial-exec")));

/// The usual case, in two comparisons: the code that a thread met last, in the program itself or in a library.
[[gnu::always_inline]] inline bool is_seen(const void* code) noexcept {
  return known_code[0].contains(address_of(code));
}
/// The same for the begin of a region, which is rarer: only the program itself is there for ever.
[[gnu::always_inline]] inline bool is_seen_for_ever(const void* code) noexcept {
  return known_code[0].contains(address_of(code)) && known_code[0].version == CodeRange::for_ever;
}

/// Makes it the code that is known, and tells the journal of its module if that is new. May take the loader's lock for
/// a moment (dl_iterate_phdr). `again`: also where the module may have been replaced.
void see_code(std::uint64_t address, bool again) noexcept;

}  // namespace tracer::ompt
