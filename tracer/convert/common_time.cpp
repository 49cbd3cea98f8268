// SPDX-License-Identifier: BSD-3-Clause
// See common_time.hpp. In passes, each from what the last one found:
//   1. a line for each clock, through the first and the last message. "When" depends on it, and how much clocks can
//      have drifted on how good it is: again and again, until it is no better.
//   2. many knots. Messages between two knots bound both of them as they are, so that they are kept on all of the line
//      between. Where bounds contradict each other at a knot all of it are loosened, as little as needed. Within what
//      messages allow clocks go straight, the more the less messages know.
//   3. each message that is reversed nevertheless moves the knots beside its ends, as little as needed; it may be that
//      no line keeps all of them.
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
/// Nanoseconds that a clock is expected to be off the straight line through its begin and end.
constexpr double usual_wander = 2e3;
/// Nanoseconds that lines stay within what messages allow, where there is room: offsets are rounded afterwards.
constexpr double room_to_round = 8;

/// What is added to each clock so far, by its own time.
class Offsets {
 public:
  explicit Offsets(const std::vector<ClockToPlace>& clocks) {
    for (const ClockToPlace& c : clocks) knots_.push_back({{c.begin, c.guess, c.doubt}, {c.end, c.guess, c.doubt}});
  }
  double at(std::uint32_t clock, double time) const { return offset_on_line(knots_[clock], time); }
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
       std::vector<double> knots, std::vector<double> drift, bool is_kept_between)
      : clocks_(clocks),
        knots_(std::move(knots)),
        drift_(std::move(drift)),
        is_kept_between_(is_kept_between),
        is_used_(knots_.size()) {
    for (const ClockBound& bound : bounds) add(bound, offsets);
    for (Edge& edge : edges_) spread(edge);
  }

  /// Replaces `offsets`.
  void place(Offsets& offsets) {
    std::vector<std::vector<ClockKnot>> all(clocks_.size());
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      const double loosened = solve(k);
      const double bend = is_kept_between_ ? bend_at(k, loosened) : 1;
      for (std::uint32_t c = 0; c < clocks_.size(); ++c) {
        const double time = offsets.own(c, knots_[k]);
        const double moved = bend * middle(c);
        const double doubt = c == 0 ? 0 : std::max(most_[c] - moved, moved - least_[c]) + loosened + reach(k, c);
        const ClockKnot knot{std::llround(time), std::llround(offsets.at(c, time) + moved), doubt};
        if (all[c].empty() || all[c].back().time < knot.time) all[c].push_back(knot);
      }
    }
    offsets.knots_ = std::move(all);
  }

 private:
  double middle(std::uint32_t c) const { return (most_[c] + least_[c]) / 2; }
  /// How far on the way from the straight lines, 0, to the middle of what is possible, 1: as far as messages say, and
  /// further where they leave little room. All that is between two solutions is one.
  double bend_at(std::size_t k, double loosened) const {
    double room = 0, least = 0;
    for (std::size_t c = 1; c < most_.size(); ++c) room += (most_[c] - least_[c]) / 2;
    room /= static_cast<double>(std::max<std::size_t>(most_.size(), 2) - 1);
    for (const Edge& e : edges_) {
      const double weight = e.at[k] + loosened - room_to_round, apart = middle(e.from) - middle(e.to);
      if (weight < 0 && apart < 0) least = std::max(least, weight / apart);
    }
    const double likely = usual_wander * usual_wander / (usual_wander * usual_wander + room * room / 3);
    return std::min(1.0, std::max(least, likely));
  }
  /// What two clocks may drift from each other in a time.
  double drifted(const Edge& e, double time) const { return (drift_[e.from] + drift_[e.to]) * time; }
  /// What a clock may drift between a message and the knots that it is used for.
  double reach(std::size_t k, std::uint32_t clock) const {
    double longest = 0;
    for (const std::size_t gap : {k, k + 1})  // before the knot, and behind it
      if (is_kept_between_ && gap > 0 && gap < knots_.size() && is_used_[gap])
        longest = std::max(longest, knots_[gap] - knots_[gap - 1]);
    return (drift_[0] + drift_[clock]) * longest;
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
    if (right < is_used_.size()) is_used_[right] = true;
    for (const std::size_t k : {right - 1, right}) {
      if (k >= knots_.size()) continue;
      const double away = is_kept_between_ ? 0 : drifted(of, std::abs(time - knots_[k]));
      of.at[k] = std::min(of.at[k], sure + away);
    }
  }
  void spread(Edge& e) const {
    std::vector<double>& at = e.at;
    for (std::size_t k = 1; k < at.size(); ++k)
      at[k] = std::min(at[k], at[k - 1] + drifted(e, knots_[k] - knots_[k - 1]));
    for (std::size_t k = at.size() - 1; k-- > 0;)
      at[k] = std::min(at[k], at[k + 1] + drifted(e, knots_[k + 1] - knots_[k]));
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
  std::vector<double> drift_;  ///< of each clock
  bool is_kept_between_;
  std::vector<bool> is_used_;  ///< by the knot behind it, whether a message was sent between two
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

/// When the first and the last of them are sent.
std::pair<double, double> span_of(const std::vector<ClockBound>& bounds, const Offsets& offsets) {
  double begin = unbounded, end = -unbounded;
  for (const ClockBound& bound : bounds) {
    const double time = static_cast<double>(bound.sent) + offsets.at(bound.from, static_cast<double>(bound.sent));
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
  return {begin, std::max(end, begin + 1)};
}

/// `count` of them over the messages, and one at each end of what there is.
std::vector<double> knots_over(std::pair<double, double> messages, std::pair<double, double> all, std::size_t count) {
  std::vector<double> knots;
  if (all.first < messages.first - 1) knots.push_back(all.first);
  for (std::size_t k = 0; k < count; ++k)
    knots.push_back(messages.first +
                    (messages.second - messages.first) * static_cast<double>(k) / static_cast<double>(count - 1));
  if (all.second > messages.second + 1) knots.push_back(all.second);
  return knots;
}

std::uint64_t count_reversed(const std::vector<ClockBound>& bounds, const Offsets& offsets) {
  return static_cast<std::uint64_t>(std::count_if(bounds.begin(), bounds.end(), [&](const ClockBound& b) {
    const auto sent = static_cast<double>(b.sent), received = static_cast<double>(b.received);
    const auto moved = std::llround(offsets.at(b.to, received)) - std::llround(offsets.at(b.from, sent));
    return b.received - b.sent + moved < 0;
  }));
}

/// Moves the knots beside both ends of a message that is reversed, all by what they count there.
class Mending {
 public:
  explicit Mending(Offsets& offsets) : offsets_(offsets) {
    for (const auto& knots : offsets.knots_) {
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
        ClockKnot& knot = offsets_.knots_[c][k];
        knot.offset = std::llround(exact_[c][k]);
        knot.uncertainty += std::abs(exact_[c][k] - moved_[c][k]);
      }
  }

 private:
  struct Place : PlaceOnLine {
    std::uint32_t clock;
  };
  Place place(std::uint32_t clock, std::int64_t time) const {
    return {place_on_line(offsets_.knots_[clock], time), clock};
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

  Offsets& offsets_;
  std::vector<std::vector<double>> exact_, moved_;  ///< now, and before
};

/// Nothing is moved where no line keeps all of them.
void mend(Offsets& offsets, const std::vector<ClockBound>& bounds) {
  Offsets before = offsets;
  Mending mending(offsets);
  const std::size_t sweeps = std::clamp<std::size_t>(500'000'000 / std::max<std::size_t>(bounds.size(), 1), 8, 1000);
  for (std::size_t i = 0; i < sweeps && mending.sweep(bounds) != 0; ++i) {
  }
  mending.finish();
  if (count_reversed(bounds, offsets) >= std::max<std::uint64_t>(count_reversed(bounds, before), 1))
    offsets = std::move(before);
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

double largest_doubt(const Offsets& offsets) {
  double doubt = 0;
  for (const auto& knots : offsets.knots_)
    for (const ClockKnot& k : knots) doubt = std::max(doubt, k.uncertainty);
  return doubt;
}

/// How fast each clock may drift: what its line is wrong by at both ends it is wrong by in its slope. Whether that is
/// much less than `drift`, which it replaces.
bool sharpen(const Offsets& offsets, double length, std::vector<double>& drift) {
  bool is_better = false;
  for (std::size_t c = 0; c < drift.size(); ++c) {
    double doubt = 0;
    for (const ClockKnot& knot : offsets.knots_[c]) doubt = std::max(doubt, knot.uncertainty);
    const double now = 2 * doubt / length + most_wander;
    is_better = is_better || now <= 0.9 * drift[c];
    drift[c] = std::min(drift[c], now);
  }
  return is_better;
}

void place(const std::vector<ClockToPlace>& clocks, const std::vector<ClockBound>& bounds, Offsets& offsets) {
  std::vector<double> drift(clocks.size(), most_drift);
  for (int i = 0; i < 12; ++i) {
    const auto messages = span_of(bounds, offsets);
    Pass(clocks, bounds, offsets, {messages.first, messages.second}, drift, false).place(offsets);
    if (i >= 3 && !sharpen(offsets, messages.second - messages.first, drift)) break;
  }
  const auto messages = span_of(bounds, offsets);
  const std::size_t most = std::clamp<std::size_t>(most_edges / count_pairs(bounds), 2, most_knots);
  const auto count = static_cast<std::size_t>((messages.second - messages.first) / least_distance);
  Pass(clocks, bounds, offsets, knots_over(messages, span_of(clocks, offsets), std::clamp<std::size_t>(count, 2, most)),
       drift, true)
      .place(offsets);
  mend(offsets, bounds);
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
  result.uncertainty = largest_doubt(offsets);
  result.clocks = std::move(offsets.knots_);
  for (std::size_t c = 0; c < result.clocks.size(); ++c)
    for (ClockKnot& k : result.clocks[c]) {
      k.time += origin - guesses[c];
      k.offset += guesses[c];
    }
  return result;
}

}  // namespace tracer
