// SPDX-License-Identifier: BSD-3-Clause
// See common_time.hpp. In passes, each from what the last one found:
//   1. a line for each clock, through the first and the last message, and by the pairs of clocks (clock_rates.hpp).
//      "When" depends on it, and how much clocks can have drifted on how good it is: again and again, until it is no
//      better.
//   2. many knots. Messages between two knots bound both of them as they are, so that they are kept on all of the line
//      between. Where bounds contradict each other at a knot all of it are loosened, as little as needed. Within what
//      messages allow clocks go straight, the more the less messages determine.
//   3. each message that is reversed nevertheless moves the knots beside its ends, as little as needed; it may be that
//      no line keeps all of them (clock_lines.hpp). No clock goes back for any.
#include "tracer/merge/common_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "tracer/merge/clock_lines.hpp"
#include "tracer/merge/clock_rates.hpp"

namespace tracer {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t most_knots = 16384, most_edges = 16u << 20;
constexpr double least_distance = 1e6;  ///< nanoseconds between knots
/// What a clock is expected to be off: the rate of the first one, and in nanoseconds the straight line through its
/// begin and end.
constexpr double usual_drift = 5e-5, usual_wander = 2e3;
/// Nanoseconds that lines stay within what messages allow, where there is room: offsets are rounded afterwards.
constexpr double room_to_round = 8;

/// Bounds between two clocks, the least at each knot.
struct Edge {
  std::uint32_t from, to;  ///< x(from) <= x(to) + weight
  std::vector<double> at;
};

class Pass {
 public:
  Pass(const std::vector<ClockToPlace>& clocks, const std::vector<ClockBound>& bounds, const ClockLines& lines,
       std::vector<double> knots, std::vector<double> drift, bool is_kept_between, double wander)
      : clocks_(clocks),
        knots_(std::move(knots)),
        drift_(std::move(drift)),
        is_kept_between_(is_kept_between),
        wander_(wander),
        is_used_(knots_.size()) {
    for (const ClockBound& bound : bounds) add(bound, lines);
    for (Edge& edge : edges_) spread(edge);
  }

  /// Replaces `lines`.
  void place(ClockLines& lines) {
    const auto flatter = std::isfinite(wander_) ? Ends{} : flattened(lines);
    std::vector<std::vector<ClockKnot>> all(clocks_.size());
    for (std::size_t k = 0; k < knots_.size(); ++k) {
      const double loosened = solve(k);
      const std::vector<double> moves = moves_at(k, loosened, flatter[k == 0 ? 0 : 1]);
      for (std::uint32_t c = 0; c < clocks_.size(); ++c) {
        const double time = lines.own(c, knots_[k]);
        const double moved = moves[c];
        const double doubt = c == 0 ? 0 : std::max(most_[c] - moved, moved - least_[c]) + loosened + reach(k, c);
        const ClockKnot knot{std::llround(time), std::llround(lines.at(c, time) + moved), doubt};
        if (all[c].empty() || all[c].back().time < knot.time) all[c].push_back(knot);
      }
    }
    lines.knots = std::move(all);
  }

 private:
  using Ends = std::array<std::vector<double>, 2>;  ///< of each clock, at two knots; empty: 0

  double middle(std::uint32_t c) const { return (most_[c] + least_[c]) / 2; }
  /// Of an error that is anywhere in what is possible, the mean of the squares.
  double square_of_room(std::uint32_t c) const {
    const double room = 1 + (most_[c] - least_[c]) / 2;
    return room * room / 3;
  }
  /// Between two knots: where to go from the middles of what is possible, so that lines are as flat as rates of clocks
  /// usually are. The end that messages determine less gives way more. What they determine stays: of a middle that only
  /// drift between far messages bounds, each pass would go on in its direction.
  Ends flattened(const ClockLines& lines) {
    Ends at, rooms;
    for (std::size_t k = 0; k < 2; ++k) {
      solve(k);
      for (std::uint32_t c = 0; c < clocks_.size(); ++c) {
        at[k].push_back(lines.at(c, lines.own(c, knots_[k])) + middle(c));
        rooms[k].push_back(square_of_room(c));
      }
    }
    const double length = knots_[1] - knots_[0], usual = usual_drift * length, most = most_drift * length;
    for (std::uint32_t c = 0; c < clocks_.size(); ++c) {
      const double rise = at[1][c] - at[0][c], part = rise / (usual * usual + rooms[0][c] + rooms[1][c]);
      const double flatter = rise - part * (rooms[0][c] + rooms[1][c]);
      const double steep = flatter - std::clamp(flatter, -most, most);
      at[0][c] = part * rooms[0][c] + steep / 2;
      at[1][c] = -part * rooms[1][c] - steep / 2;
    }
    return at;
  }
  /// From the straight lines, 0: of each clock a part of the way to the middle of what is possible, the less the more
  /// room messages leave, and `flatter`; and from there what messages need.
  std::vector<double> moves_at(std::size_t k, double loosened, const std::vector<double>& flatter) const {
    std::vector<double> moves(clocks_.size());
    for (std::uint32_t c = 0; c < moves.size(); ++c)
      moves[c] = likely_part(c) * middle(c) + (flatter.empty() ? 0 : flatter[c]);
    const auto most_apart = [&](const Edge& e) {  // of its moves
      return std::max(e.at[k] + loosened - room_to_round, middle(e.from) - middle(e.to));
    };
    if (!draw_together(most_apart, moves)) go_to_middle(most_apart, moves);
    return moves;
  }
  double likely_part(std::uint32_t c) const {
    return std::isfinite(wander_) ? wander_ * wander_ / (wander_ * wander_ + square_of_room(c)) : 1;
  }
  /// Both ends of what is too far apart go halfway, but for the first clock: a contradiction between two clocks moves
  /// those two, and others by what follows. False: some are still too far apart.
  template <class MostApart>
  bool draw_together(const MostApart& most_apart, std::vector<double>& moves) const {
    constexpr int most_rounds = 64;
    for (int round = 0; round < most_rounds; ++round) {
      bool changed = false;
      for (const Edge& e : edges_) {
        const double over = moves[e.from] - moves[e.to] - most_apart(e);
        if (over <= 0.5) continue;
        const double share = e.from == 0 ? 0 : e.to == 0 ? 1 : 0.5;
        moves[e.from] -= share * over;
        moves[e.to] += (1 - share) * over;
        changed = true;
      }
      if (!changed) return true;
    }
    return false;
  }
  /// All as far as the last of them needs: all that is between two solutions is one.
  template <class MostApart>
  void go_to_middle(const MostApart& most_apart, std::vector<double>& moves) const {
    double part = 0;
    for (const Edge& e : edges_) {
      const double apart = moves[e.from] - moves[e.to], over = apart - most_apart(e);
      if (over > 0) part = std::max(part, over / (apart - (middle(e.from) - middle(e.to))));
    }
    for (std::uint32_t c = 0; c < moves.size(); ++c) moves[c] += std::min(1.0, part) * (middle(c) - moves[c]);
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
  void add(const ClockBound& bound, const ClockLines& lines) {
    const double apart = lines.apart(bound), time = lines.sent(bound);
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
    return shorten_paths(
        edges_, backwards, [&](const Edge& e) { return e.at[k] + by; }, 1e-3, distance);
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
  double wander_;              ///< nanoseconds that clocks are expected to be off their lines
  std::vector<bool> is_used_;  ///< by the knot behind it, whether a message was sent between two
  std::vector<Edge> edges_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<double> most_, least_;
};

std::pair<double, double> span_of(const std::vector<ClockToPlace>& clocks, const ClockLines& lines) {
  double begin = unbounded, end = -unbounded;
  for (std::uint32_t c = 0; c < clocks.size(); ++c) {
    const auto b = static_cast<double>(clocks[c].begin), e = static_cast<double>(clocks[c].end);
    begin = std::min(begin, b + lines.at(c, b));
    end = std::max(end, e + lines.at(c, e));
  }
  return {begin, std::max(end, begin + 1)};
}

/// When the first and the last of them are sent; or some time more, of which lines through both ends can be rounded.
std::pair<double, double> span_of(const std::vector<ClockBound>& bounds, const ClockLines& lines) {
  double begin = unbounded, end = -unbounded;
  for (const ClockBound& bound : bounds) {
    const double time = lines.sent(bound);
    begin = std::min(begin, time);
    end = std::max(end, time);
  }
  return {begin, std::max(end, begin + least_distance)};
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

std::size_t count_pairs(const std::vector<ClockBound>& bounds) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> pairs;
  for (const ClockBound& b : bounds) pairs[{b.from, b.to}] = true;
  return std::max<std::size_t>(pairs.size(), 1);
}

double largest_doubt(const ClockLines& lines) {
  double doubt = 0;
  for (const auto& knots : lines.knots)
    for (const ClockKnot& k : knots) doubt = std::max(doubt, k.uncertainty);
  return doubt;
}

/// How fast each clock may drift: what its line is wrong by at both ends it is wrong by in its slope. Whether that is
/// much less than `drift`, which it replaces.
bool sharpen(const ClockLines& lines, double length, std::vector<double>& drift) {
  bool is_better = false;
  for (std::size_t c = 0; c < drift.size(); ++c) {
    double doubt = 0;
    for (const ClockKnot& knot : lines.knots[c]) doubt = std::max(doubt, knot.uncertainty);
    const double now = 2 * doubt / length + most_wander;
    is_better = is_better || now <= 0.9 * drift[c];
    drift[c] = std::min(drift[c], now);
  }
  return is_better;
}

/// Puts each line where pairs of clocks place it. Whether they place all; `drift`: what clocks may drift
/// before, and then.
bool put_by_pairs(const std::vector<ClockBound>& bounds, ClockLines& lines, std::vector<double>& drift) {
  const ClockRates rates = clock_rates(drift, bounds, lines);
  bool all_known = true;
  drift.front() = std::min(drift.front(), most_wander);  // by its time the others are measured
  for (std::uint32_t c = 1; c < drift.size(); ++c) {
    const ClockRate& rate = rates.clocks[c];
    drift[c] = std::min(drift[c], rate.doubt + most_wander);
    all_known = all_known && rate.is_known;
    const std::vector<ClockKnot> before = lines.knots[c];
    for (ClockKnot& knot : lines.knots[c]) {
      const double time = static_cast<double>(knot.time) + offset_on_line(before, static_cast<double>(knot.time));
      knot.offset += std::llround(rate.offset + rate.rate * (time - rates.middle));
    }
  }
  return all_known;
}

void place(const std::vector<ClockToPlace>& clocks, const std::vector<ClockBound>& bounds, ClockLines& lines) {
  std::vector<double> drift(clocks.size(), most_drift);
  double wander = unbounded;
  for (int i = 0; i < 14; ++i) {
    const auto messages = span_of(bounds, lines);
    Pass(clocks, bounds, lines, {messages.first, messages.second}, drift, false, wander).place(lines);
    // Which bounds are close in time, and which are tight, is seen the better the better the lines are.
    if (i >= 1 && i <= 3 && put_by_pairs(bounds, lines, drift)) wander = 0;
    if (i >= 5 && !sharpen(lines, messages.second - messages.first, drift)) break;
  }
  const auto messages = span_of(bounds, lines);
  const std::size_t most = std::clamp<std::size_t>(most_edges / count_pairs(bounds), 2, most_knots);
  const auto count = static_cast<std::size_t>((messages.second - messages.first) / least_distance);
  Pass(clocks, bounds, lines, knots_over(messages, span_of(clocks, lines), std::clamp<std::size_t>(count, 2, most)),
       drift, true, usual_wander)
      .place(lines);
  mend_lines(lines, bounds);
  keep_order(lines);
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
  ClockLines lines(clocks);
  if (!bounds.empty()) place(clocks, bounds, lines);
  CommonTime result;
  result.reversed = count_reversed(bounds, lines);
  thin_lines(lines, bounds, result.reversed);
  result.uncertainty = largest_doubt(lines);
  result.clocks = std::move(lines.knots);
  for (std::size_t c = 0; c < result.clocks.size(); ++c)
    for (ClockKnot& k : result.clocks[c]) {
      k.time += origin - guesses[c];
      k.offset += guesses[c];
    }
  return result;
}

}  // namespace tracer
