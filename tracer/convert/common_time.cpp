// SPDX-License-Identifier: BSD-3-Clause
// See common_time.hpp. In passes, each from what the last one found:
//   1. a number for each clock, from all messages wherever they are: the guess may be wrong by hours.
//   2. a line for each clock, through begin and end; twice, because "when" depends on it.
//   3. many knots. Messages between two knots bound both of them as they are, so that they are kept on all of the line
//      between.
// Where bounds contradict each other at a knot all of it are loosened, as little as needed: that is what stays
// reversed.
#include "tracer/convert/common_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace tracer {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t most_knots = 16384, most_edges = 16u << 20;
constexpr double least_distance = 1e6;  ///< nanoseconds between knots

/// What is added to each clock so far, by its own time.
class Offsets {
 public:
  explicit Offsets(const std::vector<ClockToPlace>& clocks) {
    for (const ClockToPlace& c : clocks) knots_.push_back({{c.begin, c.guess, c.doubt}, {c.end, c.guess, c.doubt}});
  }
  double at(std::uint32_t clock, double time) const {
    const auto& knots = knots_[clock];
    const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, time,
                                        [](double t, const ClockKnot& k) { return t < static_cast<double>(k.time); });
    const ClockKnot &a = after[-1], &b = *after;
    const double part = (time - static_cast<double>(a.time)) / static_cast<double>(b.time - a.time);
    return static_cast<double>(a.offset) + part * static_cast<double>(b.offset - a.offset);
  }
  /// The clock's own time at a common one.
  double own(std::uint32_t clock, double common) const {
    double time = common - static_cast<double>(knots_[clock].front().offset);
    for (int i = 0; i < 4; ++i) time = common - at(clock, time);
    return time;
  }
  std::vector<std::vector<ClockKnot>> knots_;
};

/// Bounds between two clocks, the least at each knot.
struct Edge {
  std::uint32_t from, to;  ///< x(from) <= x(to) + weight
  std::vector<double> at;
};

class Pass {
 public:
  Pass(const std::vector<ClockToPlace>& clocks, const std::vector<ClockBound>& bounds, const Offsets& offsets,
       std::vector<double> knots, double drift, bool is_kept_between)
      : clocks_(clocks), knots_(std::move(knots)), drift_(drift), is_kept_between_(is_kept_between) {
    for (const ClockBound& bound : bounds) add(bound, offsets);
    for (Edge& edge : edges_) spread(edge.at);
  }

  /// Replaces `offsets`.
  void place(Offsets& offsets) {
    std::vector<std::vector<ClockKnot>> all(clocks_.size());
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      const double loosened = solve(k);
      for (std::uint32_t c = 0; c < clocks_.size(); ++c) {
        const double time = offsets.own(c, knots_[k]);
        const double middle = (most_[c] + least_[c]) / 2;
        const double doubt = c == 0 ? 0 : (most_[c] - least_[c]) / 2 + loosened + reach(k);
        const ClockKnot knot{std::llround(time), std::llround(offsets.at(c, time) + middle), doubt};
        if (all[c].empty() || all[c].back().time < knot.time) all[c].push_back(knot);
      }
    }
    offsets.knots_ = std::move(all);
  }

 private:
  /// What clocks may drift between a message and the knots that it is used for.
  double reach(std::size_t k) const {
    if (!is_kept_between_ || knots_.size() < 2) return 0;
    const double before = k > 0 ? knots_[k] - knots_[k - 1] : 0;
    const double after = k + 1 < knots_.size() ? knots_[k + 1] - knots_[k] : 0;
    return 2 * drift_ * std::max(before, after);
  }
  Edge& edge(std::uint32_t from, std::uint32_t to) {
    const auto [known, is_new] = numbers_.emplace(std::pair{from, to}, edges_.size());
    if (is_new) edges_.push_back({from, to, std::vector<double>(knots_.size(), unbounded)});
    return edges_[known->second];
  }
  void add(const ClockBound& bound, const Offsets& offsets) {
    const auto sent = static_cast<double>(bound.sent), received = static_cast<double>(bound.received);
    const double apart = static_cast<double>(bound.received - bound.sent) + offsets.at(bound.to, received) -
                         offsets.at(bound.from, sent);
    const double time = sent + offsets.at(bound.from, sent);
    // The line goes on while the message is under way, and ends of it are rounded.
    const double sure = apart - 2 - 1e-4 * std::max(apart, 0.0);
    Edge& of = edge(bound.from, bound.to);
    const auto after = std::upper_bound(knots_.begin(), knots_.end(), time);
    const auto right = static_cast<std::size_t>(after - knots_.begin());
    for (const std::size_t k : {right - 1, right}) {
      if (k >= knots_.size()) continue;
      const double away = is_kept_between_ ? 0 : 2 * drift_ * std::abs(time - knots_[k]);
      of.at[k] = std::min(of.at[k], sure + away);
    }
  }
  void spread(std::vector<double>& at) const {
    for (std::size_t k = 1; k < at.size(); ++k)
      at[k] = std::min(at[k], at[k - 1] + 2 * drift_ * (knots_[k] - knots_[k - 1]));
    for (std::size_t k = at.size() - 1; k-- > 0;)
      at[k] = std::min(at[k], at[k + 1] + 2 * drift_ * (knots_[k + 1] - knots_[k]));
  }

  /// Shortest paths; false: bounds contradict each other. `by`: what all are loosened by.
  bool walk(std::size_t k, bool backwards, double by, double doubt_times, std::vector<double>& distance) const {
    distance.assign(clocks_.size(), unbounded);
    distance[0] = 0;
    for (std::uint32_t c = 1; c < clocks_.size() && doubt_times > 0; ++c) distance[c] = clocks_[c].doubt * doubt_times;
    for (std::size_t round = 0; round <= clocks_.size(); ++round) {
      bool changed = false;
      for (const Edge& e : edges_) {
        const std::uint32_t a = backwards ? e.from : e.to, b = backwards ? e.to : e.from;
        const double through = distance[a] + e.at[k] + by;
        if (through >= distance[b] - 1e-3) continue;
        distance[b] = through;
        changed = true;
      }
      if (distance[0] < 0) return false;
      if (!changed) return true;
    }
    return false;
  }
  /// The guesses count as bounds of a kind that gives way to messages.
  bool paths(std::size_t k, double by, double doubt_times) {
    if (!walk(k, false, by, doubt_times, most_) || !walk(k, true, by, doubt_times, least_)) return false;
    for (std::size_t c = 0; c < least_.size(); ++c) {
      least_[c] = -least_[c];
      if (least_[c] > most_[c] + 1e-3) return false;
    }
    return true;
  }
  double solve(std::size_t k) {
    double loosened = 0;
    while (!paths(k, loosened, 0)) loosened = loosened == 0 ? 20 : loosened * 1.5;
    const auto is_known = [](double d) { return std::isfinite(d); };
    if (std::all_of(most_.begin(), most_.end(), is_known) && std::all_of(least_.begin(), least_.end(), is_known))
      return loosened;
    double times = 1;
    while (!paths(k, loosened, times) && times < 1e15) times *= 8;
    for (std::size_t c = 0; c < most_.size(); ++c) {  // a guess that nothing bounds
      if (!is_known(most_[c])) most_[c] = clocks_[c].doubt;
      if (!is_known(least_[c])) least_[c] = -clocks_[c].doubt;
    }
    return loosened;
  }

  const std::vector<ClockToPlace>& clocks_;
  std::vector<double> knots_;
  double drift_;
  bool is_kept_between_;
  std::vector<Edge> edges_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<double> most_, least_;
};

std::pair<double, double> span_of(const std::vector<ClockToPlace>& clocks, const Offsets& offsets) {
  double begin = unbounded, end = -unbounded;
  for (std::uint32_t c = 0; c < clocks.size(); ++c) {
    const auto b = static_cast<double>(clocks[c].begin), e = static_cast<double>(clocks[c].end);
    begin = std::min(begin, b + offsets.at(c, b));
    end = std::max(end, e + offsets.at(c, e));
  }
  return {begin, std::max(end, begin + 1)};
}

std::vector<double> knots_in(std::pair<double, double> span, std::size_t count) {
  std::vector<double> knots;
  for (std::size_t k = 0; k < count; ++k)
    knots.push_back(span.first + (span.second - span.first) * static_cast<double>(k) / static_cast<double>(count - 1));
  return knots;
}

std::uint64_t count_reversed(const std::vector<ClockBound>& bounds, const Offsets& offsets) {
  return static_cast<std::uint64_t>(std::count_if(bounds.begin(), bounds.end(), [&](const ClockBound& b) {
    const auto sent = static_cast<double>(b.sent), received = static_cast<double>(b.received);
    const auto moved = std::llround(offsets.at(b.to, received)) - std::llround(offsets.at(b.from, sent));
    return b.received - b.sent + moved < 0;
  }));
}

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

void thin(Offsets& offsets, const std::vector<ClockBound>& bounds, std::uint64_t reversed) {
  for (const double tolerance : {200.0, 100.0, 50.0, 10.0}) {
    Offsets fewer = offsets;
    for (auto& knots : fewer.knots_) knots = thinned(knots, tolerance);
    if (count_reversed(bounds, fewer) > reversed) continue;
    offsets = std::move(fewer);
    return;
  }
}

std::size_t count_pairs(const std::vector<ClockBound>& bounds) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> pairs;
  for (const ClockBound& b : bounds) pairs[{b.from, b.to}] = true;
  return std::max<std::size_t>(pairs.size(), 1);
}

void place(const std::vector<ClockToPlace>& clocks, const std::vector<ClockBound>& bounds, Offsets& offsets) {
  const auto pass = [&](std::size_t knots, double drift, bool kept) {
    Pass(clocks, bounds, offsets, knots_in(span_of(clocks, offsets), knots), drift, kept).place(offsets);
  };
  for (int i = 0; i < 4; ++i) pass(2, most_drift, false);
  const auto [begin, end] = span_of(clocks, offsets);
  const std::size_t most = std::clamp<std::size_t>(most_edges / count_pairs(bounds), 2, most_knots);
  pass(std::clamp<std::size_t>(static_cast<std::size_t>((end - begin) / least_distance), 2, most), most_wander, true);
}

}  // namespace

CommonTime common_time(std::vector<ClockToPlace> clocks, std::vector<ClockBound> bounds) {
  // Where they are guessed to be, and near 0: what is left to find is exact in a double.
  const std::int64_t origin = clocks.front().begin;
  std::vector<std::int64_t> guesses;
  for (ClockToPlace& c : clocks) {
    guesses.push_back(std::exchange(c.guess, 0));
    c.begin += guesses.back() - origin;
    c.end += guesses.back() - origin;
  }
  for (ClockBound& b : bounds) {
    b.sent += guesses[b.from] - origin;
    b.received += guesses[b.to] - origin;
  }
  Offsets offsets(clocks);
  if (!bounds.empty()) place(clocks, bounds, offsets);
  CommonTime result;
  result.reversed = count_reversed(bounds, offsets);
  thin(offsets, bounds, result.reversed);
  result.clocks = std::move(offsets.knots_);
  for (std::size_t c = 0; c < result.clocks.size(); ++c)
    for (ClockKnot& k : result.clocks[c]) {
      k.time += origin - guesses[c];
      k.offset += guesses[c];
      result.uncertainty = std::max(result.uncertainty, k.uncertainty);
    }
  return result;
}

}  // namespace tracer
