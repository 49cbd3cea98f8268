// SPDX-License-Identifier: BSD-3-Clause
// One time for clocks that were never set by each other: from messages between them alone. None is received before it
// was sent, so each bounds how far two clocks are apart, from one side.
//
//   sent + x(from) <= received + x(to)      x: what is to be added to a clock
//
// At one time these are difference constraints: the shortest paths from and to the first clock are the most and the
// least that each x can be, and the middle of the two keeps all of them. Clocks drift, so x is a line between times
// (knots) of its own; bounds from further away count with what clocks may have drifted meanwhile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tracer {

/// Of a message, by the clocks of both sides, in nanoseconds.
struct ClockBound {
  std::uint32_t from = 0, to = 0;  ///< clocks
  std::int64_t sent = 0, received = 0;
};

struct ClockToPlace {
  std::int64_t begin = 0, end = 0;  ///< what it is used for, in its own time; end > begin
  std::int64_t guess = 0;           ///< to be added to it
  double doubt = 1e6;               ///< how wrong the guess may be, where messages do not correct it
};

struct ClockKnot {
  std::int64_t time = 0;    ///< of the clock itself
  std::int64_t offset = 0;  ///< to be added
  double uncertainty = 0;   ///< half of what is possible, in nanoseconds
};

/// A time on the line through a clock's knots; before the first and behind the last their line goes on.
struct PlaceOnLine {
  std::size_t before = 0;  ///< the knot; the other is the next one
  double part = 0;         ///< of the way from it to the next one
  double between(double a, double b) const noexcept { return a + part * (b - a); }
};

/// `knots`: two at least, in order. Time: what the difference of two is exact in.
template <class Time>
PlaceOnLine place_on_line(const std::vector<ClockKnot>& knots, Time time) {
  const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, time,
                                      [](Time t, const ClockKnot& k) { return t < static_cast<Time>(k.time); });
  const ClockKnot &a = after[-1], &b = *after;
  return {static_cast<std::size_t>(after - knots.begin()) - 1,
          static_cast<double>(time - static_cast<Time>(a.time)) / static_cast<double>(b.time - a.time)};
}

/// What is to be added to a clock at a time of its own.
template <class Time>
double offset_on_line(const std::vector<ClockKnot>& knots, Time time) {
  const PlaceOnLine place = place_on_line(knots, time);
  return place.between(static_cast<double>(knots[place.before].offset),
                       static_cast<double>(knots[place.before + 1].offset));
}

struct CommonTime {
  std::vector<std::vector<ClockKnot>> clocks;  ///< two knots at least, in order; all offsets of the first one are 0
  double uncertainty = 0;                      ///< the largest
  std::uint64_t reversed = 0;                  ///< bounds that are not kept
};

/// Rates of clocks: how far from each other at most, and at most from the straight line through begin and end.
inline constexpr double most_drift = 5e-4, most_wander = 1e-5;

CommonTime common_time(std::vector<ClockToPlace> clocks, std::vector<ClockBound> bounds);

}  // namespace tracer
