// SPDX-License-Identifier: BSD-3-Clause
// See clock_lines.hpp.
#include "tracer/merge/clock_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace tracer {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Moves the knots beside both ends of a message that is reversed, all by what they count there.
class Mending {
 public:
  explicit Mending(ClockLines& lines) : lines_(lines) {
    for (const auto& knots : lines.knots) {
      moved_.emplace_back(knots.size());
      for (std::size_t k = 0; k < knots.size(); ++k) moved_.back()[k] = static_cast<double>(knots[k].offset);
    }
    exact_ = moved_;
  }
  /// How many were reversed.
  std::size_t sweep(const std::vector<ClockBound>& bounds) {
    std::size_t reversed = 0;
    for (const ClockBound& b : bounds) {
      const Place from = place(b.from, b.sent), to = place(b.to, b.received);
      const double late = at(from) - at(to) - static_cast<double>(b.received - b.sent);
      if (late <= -1) continue;
      ++reversed;
      const double weight = squares(from) + squares(to);
      if (weight == 0) continue;
      move(from, -(late + 2) / weight);
      move(to, (late + 2) / weight);
    }
    return reversed;
  }
  void finish() {
    for (std::size_t c = 0; c < exact_.size(); ++c)
      for (std::size_t k = 0; k < exact_[c].size(); ++k) {
        ClockKnot& knot = lines_.knots[c][k];
        knot.offset = std::llround(exact_[c][k]);
        knot.uncertainty += std::abs(exact_[c][k] - moved_[c][k]);
      }
  }

 private:
  struct Place : PlaceOnLine {
    std::uint32_t clock;
  };
  Place place(std::uint32_t clock, std::int64_t time) const {
    return {place_on_line(lines_.knots[clock], time), clock};
  }
  double at(const Place& p) const {
    const auto& knots = exact_[p.clock];
    return p.between(knots[p.before], knots[p.before + 1]);
  }
  static double squares(const Place& p) { return p.clock == 0 ? 0 : (1 - p.part) * (1 - p.part) + p.part * p.part; }
  void move(const Place& p, double by) {
    if (p.clock == 0) return;  // the measure of the others
    exact_[p.clock][p.before] += by * (1 - p.part);
    exact_[p.clock][p.before + 1] += by * p.part;
  }

  ClockLines& lines_;
  std::vector<std::vector<double>> exact_, moved_;  ///< now, and before
};

/// Leaves out the knots near which a line between others is good enough.
std::vector<ClockKnot> thinned(const std::vector<ClockKnot>& knots, double tolerance) {
  std::vector<ClockKnot> kept{knots.front()};
  for (std::size_t from = 0; from + 1 < knots.size();) {
    std::size_t to = from + 1;
    double steepest = unbounded, flattest = -unbounded;
    for (std::size_t i = from + 1; i < knots.size(); ++i) {
      const auto run = static_cast<double>(knots[i].time - knots[from].time);
      const auto rise = static_cast<double>(knots[i].offset - knots[from].offset);
      if (rise / run <= steepest && rise / run >= flattest) to = i;
      steepest = std::min(steepest, (rise + tolerance) / run);
      flattest = std::max(flattest, (rise - tolerance) / run);
      if (steepest < flattest) break;
    }
    double doubt = 0;
    for (std::size_t i = from + 1; i <= to; ++i) doubt = std::max(doubt, knots[i].uncertainty);
    kept.push_back(knots[to]);
    kept.back().uncertainty = doubt + (to > from + 1 ? tolerance : 0);
    from = to;
  }
  return kept;
}

}  // namespace

std::uint64_t count_reversed(const std::vector<ClockBound>& bounds, const ClockLines& lines) {
  return static_cast<std::uint64_t>(std::count_if(bounds.begin(), bounds.end(), [&](const ClockBound& b) {
    const auto sent = static_cast<double>(b.sent), received = static_cast<double>(b.received);
    const auto moved = std::llround(lines.at(b.to, received)) - std::llround(lines.at(b.from, sent));
    return b.received - b.sent + moved < 0;
  }));
}

void mend_lines(ClockLines& lines, const std::vector<ClockBound>& bounds) {
  ClockLines before = lines;
  Mending mending(lines);
  const std::size_t sweeps = std::clamp<std::size_t>(500'000'000 / std::max<std::size_t>(bounds.size(), 1), 8, 1000);
  for (std::size_t i = 0; i < sweeps && mending.sweep(bounds) != 0; ++i) {
  }
  mending.finish();
  if (count_reversed(bounds, lines) >= std::max<std::uint64_t>(count_reversed(bounds, before), 1))
    lines = std::move(before);
}

void keep_order(ClockLines& lines) {
  for (auto& knots : lines.knots)
    for (std::size_t k = 1; k < knots.size(); ++k) {
      const std::int64_t least = knots[k - 1].offset - (knots[k].time - knots[k - 1].time) / 2;
      if (knots[k].offset >= least) continue;
      knots[k].uncertainty += static_cast<double>(least - knots[k].offset);
      knots[k].offset = least;
    }
}

void thin_lines(ClockLines& lines, const std::vector<ClockBound>& bounds, std::uint64_t reversed) {
  for (const double tolerance : {200.0, 100.0, 50.0, 10.0}) {
    ClockLines fewer = lines;
    for (auto& knots : fewer.knots) knots = thinned(knots, tolerance);
    if (count_reversed(bounds, fewer) > reversed) continue;
    lines = std::move(fewer);
    return;
  }
}

}  // namespace tracer
