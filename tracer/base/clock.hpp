// SPDX-License-Identifier: BSD-3-Clause
// The recording clock: the processor's own counter where it is steady, else CLOCK_MONOTONIC.
#pragma once

#include <ctime>

#include "tracer/processor.hpp"
#include "tracer/time.hpp"

namespace tracer {

namespace detail {
extern constinit ClockKind clock_kind;

#if defined(__x86_64__)
inline constexpr ClockKind counter_kind = ClockKind::tsc;
#else
inline constexpr ClockKind counter_kind = ClockKind::generic_timer;
#endif
}  // namespace detail

constexpr Nanoseconds nanoseconds_of(const timespec& t) noexcept {
  return static_cast<Nanoseconds>(t.tv_sec) * 1'000'000'000u + static_cast<Nanoseconds>(t.tv_nsec);
}

/// Of any clock of the system; 0 for one that is not there.
inline Nanoseconds read_clock(clockid_t clock) noexcept {
  timespec t{};
  ::clock_gettime(clock, &t);
  return nanoseconds_of(t);
}

/// Nanoseconds of CLOCK_MONOTONIC.
inline Ticks read_monotonic() noexcept {
  return read_clock(CLOCK_MONOTONIC);
}

/// Chooses the clock; before the first event. TRACER's default until then is CLOCK_MONOTONIC. `clocksource`: the file
/// that names the kernel's own source of times. Throws only for want of memory.
ClockKind choose_clock(const char* clocksource = "/sys/devices/system/clocksource/clocksource0/current_clocksource");
inline ClockKind clock_kind() noexcept {
  return detail::clock_kind;
}
/// The user's choice, instead of choose_clock(); before the first event.
void set_clock(ClockKind kind) noexcept;

/// 8 ns with the time stamp counter, 20 ns otherwise (measured on EPYC under KVM). Not serialising: the
/// instructions around it may move by some nanoseconds, which costs less than rdtscp's 16 ns.
inline Ticks now(ClockKind kind) noexcept {
  if (kind == detail::counter_kind) [[likely]]
    return read_counter();
  return read_monotonic();
}
inline Ticks now() noexcept {
  return now(detail::clock_kind);
}

/// What the calling thread has used: where processors are short, waiting for one is not the tool's work. A system call.
inline Nanoseconds processor_time() noexcept {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/// The tightest of several readings of the three clocks.
ClockSync read_clocks() noexcept;
/// The same with a clock that need not be the chosen one: a reader continues the clock of a run that died.
ClockSync read_clocks(ClockKind kind) noexcept;

}  // namespace tracer
