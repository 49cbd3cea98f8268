// SPDX-License-Identifier: BSD-3-Clause
// How a handler turns the runtime's arguments into a record of the calling thread's channel.
//
// Everything here is on the program's critical path: no lock, no allocation, no system call.
#pragma once

#include <cstdint>

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

#if defined(__x86_64__)
inline constexpr ClockKind counter_kind = ClockKind::tsc;
#else
inline constexpr ClockKind counter_kind = ClockKind::generic_timer;
#endif

template <class Body>
[[gnu::noinline, gnu::cold]] void record_slowly(const Body& body) noexcept {
  if (Channel* channel = this_channel()) body(*channel, now());
}

}  // namespace detail

/// Runs `body(channel, time)` for the calling thread, unless it has no channel. All that is rare (a
/// thread's first event, a clock that is a call) is out of line and gets a copy of the arguments,
/// so that the usual way saves no registers: it is a few loads and two stores of 16 bytes.
template <class Body>
[[gnu::always_inline]] inline void record(const Body& body) noexcept {
  Channel* channel = tracer::detail::channel;
  if (channel != nullptr && clock_kind() == detail::counter_kind) [[likely]]
    return body(*channel, now());
  const Body copy = body;
  detail::record_slowly(copy);
}

}  // namespace tracer::ompt
