// SPDX-License-Identifier: BSD-3-Clause
// See clock_rates.hpp.
#include "tracer/merge/clock_rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "tracer/base/disjoint_sets.hpp"

namespace tracer {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t most_parts = 16, most_kept = 4u << 20;
/// Bounds that are nearer to each other than this part of the whole time hardly determine a rate.
constexpr double least_lever = 0.25;

struct Tightest {
  double time = 0, apart = unbounded;  ///< x(from) - x(to) <= apart
};
/// The tightest in each part of the time, of both directions.
struct Pair {
  std::vector<Tightest> forth, back;
};
struct Edge {
  std::uint32_t from, to;  ///< rate(from) <= rate(to) + most
  double most;
};
/// The line of the one above that of the other: how far at `time`, the surer of the two places that it goes through,
/// its rate, and what is open at both.
struct Between {
  std::uint32_t first, second;
  double time, apart, rate, open;
};

class Rates {
 public:
  Rates(const std::vector<double>& drift, const std::vector<ClockBound>& bounds, const ClockLines& lines)
      : clocks_(drift.size()), drift_(drift) {
    double begin = unbounded, end = -unbounded;
    for (const ClockBound& b : bounds) {
      const double time = lines.sent(b);
      begin = std::min(begin, time);
      end = std::max(end, time);
      pairs_[key(b)];
    }
    const double length = std::max(end - begin, 1.0);
    const std::size_t parts =
        std::clamp<std::size_t>(most_kept / std::max<std::size_t>(pairs_.size(), 1), 2, most_parts);
    for (const ClockBound& b : bounds) {
      Pair& pair = pairs_[key(b)];
      std::vector<Tightest>& of = b.from < b.to ? pair.forth : pair.back;
      if (of.empty()) of.resize(parts);
      const double time = lines.sent(b);
      const double apart = lines.apart(b);
      Tightest& best =
          of[std::min(static_cast<std::size_t>((time - begin) / length * static_cast<double>(parts)), parts - 1)];
      if (apart < best.apart) best = {time, apart};
    }
    rates_.middle = (begin + end) / 2;
    for (const auto& knots : lines.knots)
      slopes_.push_back(static_cast<double>(knots.back().offset - knots.front().offset) /
                        static_cast<double>(knots.back().time - knots.front().time));
    for (const auto& [of, pair] : pairs_) {
      limit(of.first, of.second, pair, length * least_lever);
      connect(of.first, of.second, pair, length * least_lever);
    }
  }

  ClockRates get() {
    rates_.clocks.resize(clocks_);
    std::vector<double> most, least;
    if (walk(false, most) && walk(true, least))
      for (std::size_t c = 1; c < clocks_; ++c) {
        const double doubt = (most[c] + least[c]) / 2;
        if (std::isfinite(doubt) && doubt >= 0) rates_.clocks[c].doubt = std::min(doubt, most_drift);
      }
    grow();
    return std::move(rates_);
  }

 private:
  static std::pair<std::uint32_t, std::uint32_t> key(const ClockBound& b) {
    return {std::min(b.from, b.to), std::max(b.from, b.to)};
  }
  /// A line that is below all of the one direction and above all of the other can be so steep, and so flat.
  void limit(std::uint32_t first, std::uint32_t second, const Pair& pair, double lever) {
    double steepest = 2 * most_drift, flattest = -2 * most_drift;
    for (const Tightest& above : pair.forth)
      for (const Tightest& below : pair.back) {
        const double run = above.time - below.time, open = above.apart + below.apart;
        if (!std::isfinite(open) || std::abs(run) < lever) continue;
        if (run > 0)
          steepest = std::min(steepest, open / run);
        else
          flattest = std::max(flattest, open / run);
      }
    if (steepest < flattest) std::swap(steepest, flattest);  // they do not go straight: anything between is as good
    edges_.push_back({first, second, steepest});
    edges_.push_back({second, first, -flattest});
  }
  /// The line through the middles of what is open at two parts of the time, the most precise ones.
  void connect(std::uint32_t first, std::uint32_t second, const Pair& pair, double lever) {
    struct Middle {
      double time, apart, open;
    };
    std::vector<Middle> middles;
    for (std::size_t k = 0; k < std::min(pair.forth.size(), pair.back.size()); ++k) {
      const Tightest &above = pair.forth[k], &below = pair.back[k];
      const double open =
          above.apart + below.apart + (drift_[first] + drift_[second]) * std::abs(above.time - below.time);
      if (std::isfinite(open))
        middles.push_back({(above.time + below.time) / 2, (above.apart - below.apart) / 2, std::max(open, 1.0)});
    }
    Between best{first, second, 0, 0, 0, unbounded};
    for (const Middle& a : middles)
      for (const Middle& b : middles) {
        if (b.time - a.time < lever || a.open + b.open >= best.open) continue;
        const Middle& surer = a.open <= b.open ? a : b;
        best = {first, second, surer.time, surer.apart, (b.apart - a.apart) / (b.time - a.time), a.open + b.open};
      }
    if (std::isfinite(best.open)) between_.push_back(best);
  }
  /// The tree of the surest pairs, from the first clock on.
  void grow() {
    std::sort(between_.begin(), between_.end(), [](const Between& a, const Between& b) { return a.open < b.open; });
    DisjointSets reached{clocks_};
    std::vector<std::vector<const Between*>> of_clock(clocks_);
    for (const Between& b : between_) {
      if (!reached.join(b.first, b.second)) continue;
      of_clock[b.first].push_back(&b);
      of_clock[b.second].push_back(&b);
    }
    rates_.clocks[0].is_known = true;
    for (std::vector<std::uint32_t> open{0}; !open.empty();) {
      const std::uint32_t from = open.back();
      open.pop_back();
      const ClockRate here = rates_.clocks[from];
      for (const Between* b : of_clock[from]) {
        const std::uint32_t to = b->first == from ? b->second : b->first;
        ClockRate& there = rates_.clocks[to];
        if (there.is_known) continue;
        const double sign = b->first == from ? -1 : 1;  // the first one's line is above the second one's
        const double before = b->time - rates_.middle;
        there.is_known = true;
        there.rate = possible_rate(to, here.rate + sign * b->rate);
        there.offset = here.offset + here.rate * before + sign * b->apart - there.rate * before;
        open.push_back(to);
      }
    }
  }
  /// The nearest with which the clock does not drift from the first one faster than clocks do: where messages were
  /// under way for long, the middles of what they leave open lie anywhere.
  double possible_rate(std::uint32_t clock, double rate) const {
    const double now = slopes_[clock] - slopes_[0];
    return std::clamp(rate, -most_drift - now, most_drift - now);
  }
  /// false: rates contradict each other.
  bool walk(bool backwards, std::vector<double>& distance) const {
    distance.assign(clocks_, unbounded);
    distance[0] = 0;
    return shorten_paths(
        edges_, backwards, [](const Edge& e) { return e.most; }, 1e-12, distance);
  }

  std::size_t clocks_;
  const std::vector<double>& drift_;
  std::vector<double> slopes_;  ///< of each clock's line
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs_;
  std::vector<Edge> edges_;
  std::vector<Between> between_;
  ClockRates rates_;
};

}  // namespace

ClockRates clock_rates(const std::vector<double>& drift, const std::vector<ClockBound>& bounds,
                       const ClockLines& lines) {
  return Rates(drift, bounds, lines).get();
}

}  // namespace tracer
