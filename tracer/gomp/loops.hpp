// SPDX-License-Identifier: BSD-3-Clause
// What the arguments of loops say.
#pragma once

#include "tracer/gomp/state.hpp"

namespace tracer::gomp {

/// An omp_sched_t, or the number that GOMP_loop_start is given, as ompt_work_t.
constexpr std::uint16_t work_of_schedule(long schedule) noexcept {
  switch (schedule & 0xff) {
    case 1:
      return work_type::loop_static;
    case 2:
      return work_type::loop_dynamic;
    case 3:
      return work_type::loop_guided;
    default:
      return work_type::loop_other;
  }
}

/// What schedule(runtime) is now.
inline std::uint16_t scheduled(const Runtime& runtime) noexcept {
  int kind = 0, chunk = 0;
  runtime.omp_get_schedule(&kind, &chunk);
  return work_of_schedule(kind);
}

constexpr std::uint64_t iterations(std::uint64_t distance, std::uint64_t stride) noexcept {
  if (stride == 1) [[likely]]  // a division takes as long as all the rest
    return distance;
  return stride != 0 ? distance / stride + (distance % stride != 0 ? 1 : 0) : 0;
}

/// How many iterations with step 1.
template <class Number>
constexpr std::uint64_t distance(Number start, Number end) noexcept {
  return start < end ? static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start) : 0;
}

inline Work loop_work(const Site& site, long start, long end, long step, std::uint16_t type) noexcept {
  const auto from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(end);
  const auto stride = static_cast<std::uint64_t>(step);
  const bool is_empty = step > 0 ? start >= end : start <= end;
  const std::uint64_t count = is_empty   ? 0
                              : step > 0 ? iterations(to - from, stride)
                                         : iterations(from - to, 0 - stride);
  return {site.code, type, count, step, site.runtime};
}

/// `step` of a loop that counts down is negative, as an unsigned number.
inline Work loop_work(const Site& site, bool up, Unsigned start, Unsigned end, Unsigned step,
                      std::uint16_t type) noexcept {
  const bool is_empty = up ? start >= end : start <= end;
  const std::uint64_t count = is_empty ? 0 : up ? iterations(end - start, step) : iterations(start - end, 0 - step);
  return {site.code, type, count, static_cast<std::int64_t>(step), site.runtime};
}

}  // namespace tracer::gomp
