// SPDX-License-Identifier: BSD-3-Clause
// The modules whose code this thread met last. Code in another one is looked up before it is recorded: its library may
// be closed again before the drainer looks around, and with it the source line would be gone.
#pragma once

#include <tuple>
#include <type_traits>

#include "tracer/ompt/emit.hpp"
#include "tracer/session/modules.hpp"

namespace tracer::ompt {

/// The last one; those before it are the channel's (Channel::code_before()).
extern constinit thread_local CodeRange known_code __attribute__((tls_model("initial-exec")));

/// Whether the code is the program's own, or that which the thread met last, in a library that was there a moment ago.
inline bool is_seen(const void* code, Ticks time) noexcept {
  return ProgramCode::contains(address_of(code)) ||
         (known_code.contains(address_of(code)) && LoaderWatch::holds(known_code.version, time));
}

namespace detail {
/// Of see(): for code that is not is_seen().
void look_at_code(std::uint64_t address) noexcept;
}  // namespace detail

/// Makes it the current code, and records its module in the journal if that is new: the module may be another than
/// the one that was there. May take the loader's lock for a moment (dl_iterate_phdr). Null, which GCC's entry points
/// give, is no code.
inline void see(const void* code) noexcept {
  if (code != nullptr && !is_seen(code, now())) [[unlikely]]
    detail::look_at_code(address_of(code));
}

namespace detail {

template <class Body, class... Arguments>
[[gnu::noinline]] void record_in_library(Arguments... arguments) noexcept {
  see(std::get<sizeof...(Arguments) - 1>(std::tie(arguments...)));
  record(Body{}, arguments...);
}

}  // namespace detail

/// As record(), for the first event of a construct: the last argument is its place in the code, which is seen before it
/// is recorded. For the program's own code that is two comparisons.
template <class Body, class... Arguments>
[[gnu::always_inline]] inline void record_in_code(const Body& body, Arguments... arguments) noexcept {
  static_assert(std::is_empty_v<Body>);
  const void* code = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
  if (ProgramCode::contains(address_of(code))) [[likely]]
    return record(body, arguments...);
  detail::record_in_library<Body>(arguments...);
}

}  // namespace tracer::ompt
