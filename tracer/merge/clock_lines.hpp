// SPDX-License-Identifier: BSD-3-Clause
// Lines of clocks that are being placed (common_time.hpp): what messages that are still reversed move, and which knots
// are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/merge/common_time.hpp"

namespace tracer {

/// What is added to each clock so far, by its own time.
struct ClockLines {
  std::vector<std::vector<ClockKnot>> knots;  ///< of each clock, two at least, in order

  explicit ClockLines(const std::vector<ClockToPlace>& clocks) {
    for (const ClockToPlace& c : clocks) knots.push_back({{c.begin, c.guess, c.doubt}, {c.end, c.guess, c.doubt}});
  }
  double at(std::uint32_t clock, double time) const { return offset_on_line(knots[clock], time); }
  /// The clock's own time at a common one.
  double own(std::uint32_t clock, double common) const {
    double time = common - static_cast<double>(knots[clock].front().offset);
    for (int i = 0; i < 4; ++i) time = common - at(clock, time);
    return time;
  }
  /// When a message was sent, in the common time.
  double sent(const ClockBound& b) const {
    const auto time = static_cast<double>(b.sent);
    return time + at(b.from, time);
  }
  /// What it leaves between both clocks: more must not be added to that of `from` than to that of `to`.
  double apart(const ClockBound& b) const {
    return static_cast<double>(b.received - b.sent) + at(b.to, static_cast<double>(b.received)) -
           at(b.from, static_cast<double>(b.sent));
  }
};

/// The most that x(c) - x(0) can be for each clock c, where edges mean x(from) <= x(to) + weight(edge); `backwards`:
/// the most that x(0) - x(c) can be. `most` has what is known before; less than `least_step` is no change. false: edges
/// contradict each other.
template <class Edge, class Weight>
bool shorten_paths(const std::vector<Edge>& edges, bool backwards, Weight weight, double least_step,
                   std::vector<double>& most) {
  for (std::size_t round = 0; round <= most.size(); ++round) {
    bool changed = false;
    for (const Edge& e : edges) {
      const std::uint32_t a = backwards ? e.from : e.to, b = backwards ? e.to : e.from;
      const double through = most[a] + weight(e);
      if (through >= most[b] - least_step) continue;
      most[b] = through;
      changed = true;
    }
    if (most[0] < 0) return false;
    if (!changed) return true;
  }
  return false;
}

/// Messages that are received before they were sent.
std::uint64_t count_reversed(const std::vector<ClockBound>& bounds, const ClockLines& lines);

/// Moves the knots beside both ends of each of them, all by what they count there, until none is left; nothing is moved
/// where that does not make them fewer.
void mend_lines(ClockLines& lines, const std::vector<ClockBound>& bounds);

/// Raises knots that are too far below the one before: each clock goes on with half its speed at least, so that none of
/// its events comes before an earlier one.
void keep_order(ClockLines& lines);

/// Leaves out knots near which a line between others is good enough: as many as leave no more than `reversed`.
void thin_lines(ClockLines& lines, const std::vector<ClockBound>& bounds, std::uint64_t reversed);

}  // namespace tracer
