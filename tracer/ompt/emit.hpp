// SPDX-License-Identifier: BSD-3-Clause
// How a handler turns the runtime's arguments into a record of the calling thread's channel.
//
// Everything here is on the program's critical path: no lock, no allocation, no system call.
#pragma once

#include <cstdint>
#include <type_traits>

#include "omp-tools.h"
#include "tracer/base/clock.hpp"
#include "tracer/record.hpp"
#include "tracer/session/channel.hpp"

namespace tracer::ompt {

/// The tool's id in a runtime's data word. Runtimes pass NULL where the specification would have a
/// word: libomp for the parallel_data of a worker's late ends and of implicit tasks at exit.
inline std::uint64_t value_of(const ompt_data_t* data) noexcept {
  return data != nullptr ? data->value : no_id;
}
/// That of a region that ends: libomp (seen on 19) has released its team before this callback, and another thread may
/// have freed the word by then. Nobody relies on this id (Channel::end_region() looks for it);
/// AddressSanitizer does not check it.
[[gnu::no_sanitize_address]] inline std::uint64_t value_of_ended(const ompt_data_t* data) noexcept {
  return data != nullptr ? data->value : no_id;
}
/// The runtime orders writes and reads of a word, also between threads. ThreadSanitizer does not see the runtime's own
/// order: tests/tsan.supp suppresses its reports for this function and value_of().
inline void set_value(ompt_data_t* data, std::uint64_t value) noexcept {
  if (data != nullptr) data->value = value;
}

inline std::uint64_t address_of(const void* pointer) noexcept {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// Kinds and types fit 16 bits in every version of the specification; unknown ones pass unchanged.
template <class Enumerator>
constexpr std::uint16_t sub_of(Enumerator kind) noexcept {
  return static_cast<std::uint16_t>(kind);
}

template <class Enumerator>
constexpr Endpoint endpoint_of(Enumerator endpoint) noexcept {
  return static_cast<Endpoint>(endpoint);
}

/// `implementation | hint << 8`, see record_table.hpp.
constexpr std::uint32_t pack_mutex(unsigned hint, unsigned impl) noexcept {
  return (impl & 0xffu) | (hint << 8);
}

namespace detail {

template <class Body, class... Arguments>
[[gnu::noinline, gnu::cold]] void record_slowly(Arguments... arguments) noexcept {
  if (Channel* channel = this_channel()) Body{}(*channel, now(), arguments...);
}

template <class Body>
[[gnu::noinline, gnu::cold]] void record_captured_slowly(const Body& body) noexcept {
  if (Channel* channel = this_channel()) body(*channel, now());
}

}  // namespace detail

/// Runs `body(channel, time, arguments...)` for the calling thread, unless it has no channel. What is rare (a thread's
/// first event, a clock that is a call, a ring's limit) is a jump to a function of its own with the arguments in
/// registers, so that the usual way has no stack: it is a few loads and five stores. For that the body has no
/// captures, and nothing follows in the handler; handlers that are not called often may do otherwise.
template <class Body, class... Arguments>
[[gnu::always_inline]] inline void record(const Body& body, Arguments... arguments) noexcept {
  Channel* channel = tracer::detail::counter_channel;
  if (channel != nullptr) [[likely]]
    return body(*channel, now(tracer::detail::counter_kind), arguments...);
  if constexpr (std::is_empty_v<Body>) {
    detail::record_slowly<Body>(arguments...);
  } else {
    const Body copy = body;
    detail::record_captured_slowly(copy);
  }
}

}  // namespace tracer::ompt
