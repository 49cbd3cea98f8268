// SPDX-License-Identifier: BSD-3-Clause
// Chooses the recording clock and reads it together with the system's.
#include "tracer/base/clock.hpp"

#include <string>
#include <string_view>

#include "tracer/base/files/file.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tracer {

constinit ClockKind detail::clock_kind = ClockKind::monotonic;

namespace {

/// CPUID 0x80000007 EDX bit 8: the counter runs at one rate in all power states and on all cores.
[[maybe_unused]] bool has_invariant_tsc() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000000u, &a, &b, &c, &d) && a >= 0x80000007u && __get_cpuid(0x80000007u, &a, &b, &c, &d) &&
         (d & (1u << 8)) != 0;
#else
  return false;
#endif
}

/// False: the kernel reads its own times from a timer beside the processors, because it found their counters apart.
bool kernel_trusts_counter(const char* clocksource) {
  const std::string text = read_small_file(clocksource);  // "" where it is unknown
  const std::string_view name = std::string_view(text).substr(0, text.find('\n'));
  for (const std::string_view timer : {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"})
    if (name == timer) return false;
  return true;
}

std::uint64_t read_realtime() noexcept {
  return read_clock(CLOCK_REALTIME);
}

}  // namespace

ClockKind choose_clock(const char* clocksource) {
#if defined(__aarch64__)
  const bool steady = true;
#else
  const bool steady = has_invariant_tsc();
#endif
  set_clock(steady && kernel_trusts_counter(clocksource) ? detail::counter_kind : ClockKind::monotonic);
  return detail::clock_kind;
}

void set_clock(ClockKind kind) noexcept {
  detail::clock_kind = kind;
}

ClockSync read_clocks() noexcept {
  return read_clocks(detail::clock_kind);
}

ClockSync read_clocks(ClockKind kind) noexcept {
  ClockSync best;
  Ticks narrowest = ~Ticks{0};
  for (int i = 0; i < 8; ++i) {
    const Ticks before = now(kind);
    const Nanoseconds monotonic = read_monotonic();
    const Ticks after = now(kind);
    if (after < before || after - before >= narrowest) continue;
    narrowest = after - before;
    best.ticks = before + (after - before) / 2;
    best.monotonic = monotonic;
  }
  if (narrowest == ~Ticks{0}) best = {now(kind), read_monotonic(), 0};
  // The midpoint of two monotonic readings around it: realtime may be read a little later than `ticks`.
  const Nanoseconds first = read_monotonic();
  const std::uint64_t realtime = read_realtime();
  const Nanoseconds second = read_monotonic();
  best.realtime = realtime - (first + (second - first) / 2 - best.monotonic);
  return best;
}

}  // namespace tracer
