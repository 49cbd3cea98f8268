// SPDX-License-Identifier: BSD-3-Clause
// Clocks that are put together by messages alone, against the clocks that the messages were made with.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "catch.hpp"
#include "tracer/merge/clock_lines.hpp"
#include "tracer/merge/clock_rates.hpp"
#include "tracer/merge/common_time.hpp"

namespace tracer {
namespace {

/// A clock that is so far away, so much faster, and goes slowly to and fro. Times in nanoseconds.
struct Injected {
  double ns = 0, ppm = 0, wander = 0, period = 4e9;
  std::int64_t operator()(double t) const {
    return std::llround(1e12 + t + ns + t * ppm * 1e-6 + wander * std::sin(2 * std::numbers::pi * t / period));
  }
};

struct Job {
  std::vector<Injected> clocks;
  std::vector<ClockToPlace> places;
  std::vector<ClockBound> bounds;
  double end = 4e9;

  explicit Job(std::vector<Injected> of) : clocks(std::move(of)) {
    for (const Injected& clock : clocks) places.push_back({clock(0), clock(end), 0, 1e6});
  }
  void message(std::uint32_t from, std::uint32_t to, double time, double takes) {
    bounds.push_back({from, to, clocks[from](time), clocks[to](time + takes)});
  }
  /// Between any two, from `begin` on; most take a little more than `least` nanoseconds.
  void messages(std::size_t count, double begin, double until, double least) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> when(begin, until);
    std::exponential_distribution<double> more(1 / (4 * least));
    for (std::size_t i = 0; i < count; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % clocks.size());
      const auto to = static_cast<std::uint32_t>((from + 1 + random() % (clocks.size() - 1)) % clocks.size());
      message(from, to, when(random), least + more(random));
    }
  }
};

double offset_at(const std::vector<ClockKnot>& knots, double time, double& uncertainty) {
  std::size_t i = 1;
  while (i + 1 < knots.size() && time > static_cast<double>(knots[i].time)) ++i;
  const ClockKnot &a = knots[i - 1], &b = knots[i];
  uncertainty = std::max(a.uncertainty, b.uncertainty);
  const double part = (time - static_cast<double>(a.time)) / static_cast<double>(b.time - a.time);
  return static_cast<double>(a.offset) + part * static_cast<double>(b.offset - a.offset);
}

struct Errors {
  double largest = 0;
  std::size_t beyond = 0;  ///< more than what is stated
};

Errors errors_of(const Job& job, const CommonTime& common) {
  Errors errors;
  for (std::size_t c = 0; c < job.clocks.size(); ++c)
    for (double t = 0; t <= job.end; t += job.end / 500) {
      double stated = 0;
      const auto own = static_cast<double>(job.clocks[c](t));
      const double error =
          std::abs(own + offset_at(common.clocks[c], own, stated) - static_cast<double>(job.clocks[0](t)));
      errors.largest = std::max(errors.largest, error);
      if (error > stated + 2) ++errors.beyond;
    }
  return errors;
}

std::vector<Injected> sixteen_clocks(double wander) {
  std::vector<Injected> clocks;
  for (int i = 0; i < 16; ++i)
    clocks.push_back({i * 1.33e8 - 1e9, i * 6.6 - 50, i % 3 == 0 ? 0 : wander, 3e9 + i * 2e8});
  clocks[0] = {};
  return clocks;
}

/// None is reversed, and each clock is right to so many nanoseconds, and to what is stated.
void check_within(double most, const Job& job) {
  const CommonTime common = common_time(job.places, job.bounds);
  CHECK(common.reversed == 0);
  const Errors errors = errors_of(job, common);
  INFO("largest error " << errors.largest << " ns, stated " << common.uncertainty);
  CHECK(errors.beyond == 0);
  CHECK(errors.largest <= most);
}

TEST_CASE("sixteen clocks, up to a second apart, 50 ppm off and wandering, are put together by their messages") {
  Job job(sixteen_clocks(3000));
  job.messages(200'000, 0, job.end, 500);
  check_within(2000, job);
}

TEST_CASE("messages at the begin and at the end are enough for clocks that drift") {
  Job job(sixteen_clocks(0));
  job.messages(3'000, 0, 2e6, 500);
  job.messages(3'000, job.end - 2e6, job.end, 500);
  check_within(2000, job);
}

TEST_CASE("clocks that are compared pair by pair, over a third of a short run, are as near as the comparisons") {
  Job job(sixteen_clocks(0));
  job.end = 1e9;
  for (std::size_t c = 0; c < 16; ++c) job.places[c].end = job.clocks[c](job.end);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> when(0, 6e7), way(200, 800);
  double round = 1e7;
  for (std::uint32_t step = 1; step < 16; step *= 2, round += 7e7)
    for (std::uint32_t first = 0; first < 16; first += 2 * step)
      for (const double at : {round, 7e8 + round}) {
        const double time = at + when(random), half = way(random);
        job.message(first, first + step, time, half);
        job.message(first + step, first, time + half + 10, half);
      }
  // Everybody waits for a processor, the one half longer than the other.
  std::exponential_distribution<double> wait(1 / 2e6);
  for (int i = 0; i < 600; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % 16),
               to = (from + 1 + 2 * static_cast<std::uint32_t>(random() % 7)) % 16;
    job.message(from, to, 3e8 + 4e8 * i / 600, wait(random) * (from % 2 == 0 ? 0.02 : 1) + 1000);
  }
  check_within(2000, job);
}

TEST_CASE(
    "where rates are known comparisons are tight whose quickest ways there and back are some milliseconds apart") {
  Job job({{}, {}});
  job.end = 1.2e9;
  for (ClockToPlace& place : job.places) place = {0, static_cast<std::int64_t>(job.end), 0, 1e6};
  const auto both_ways = [&](double time, double there, double back) {
    const auto at = [](double t) { return std::llround(t); };
    job.bounds.push_back({0, 1, at(time), at(time + there)});
    job.bounds.push_back({1, 0, at(time), at(time + back)});
  };
  for (const double begin : {1e7, 1.15e9}) {
    both_ways(begin, 300, 900);
    both_ways(begin + 4e7, 900, 300);
  }
  both_ways(4e8, 300, 20'000);  // as near each other as can be, but the one way was longer
  both_ways(9e8, 20'000, 300);
  const auto rate = [&](double drift) {
    return clock_rates({drift, drift}, job.bounds, ClockLines{job.places}).clocks[1].rate;
  };
  CHECK(std::abs(rate(most_wander)) < 1e-9);
  CHECK(std::abs(rate(most_drift)) > 1e-5);
}

TEST_CASE("messages that are under way for long make no clock faster than clocks are") {
  Job job({{}, {}});
  job.message(0, 1, 1e7, 300);
  job.message(1, 0, 1e7, 300);
  job.message(0, 1, job.end - 1e8, 1e8);  // the middle of both ways is 50 ms off
  job.message(1, 0, job.end - 1e8, 1e5);
  const ClockRate rate = clock_rates({most_drift, most_drift}, job.bounds, ClockLines{job.places}).clocks[1];
  CHECK(rate.is_known);
  CHECK(std::abs(rate.rate) <= most_drift);
  const double middle = (1e7 + job.end - 1e8) / 2;  // where the comparison is, the clock stays
  CHECK(std::abs(rate.offset - rate.rate * (middle - 1e7)) <= 300);
}

TEST_CASE("no clock goes back, however far its knots were moved from each other") {
  ClockLines lines{std::vector<ClockToPlace>(2, ClockToPlace{0, 4000})};
  lines.knots[1] = {{0, 0, 10}, {1000, 3000, 10}, {2000, -500, 10}, {3000, 0, 10}, {3001, -50, 10}, {4000, 0, 10}};
  keep_order(lines);
  for (std::size_t k = 1; k < lines.knots[1].size(); ++k) {
    const ClockKnot &a = lines.knots[1][k - 1], &b = lines.knots[1][k];
    CHECK(b.time + b.offset > a.time + a.offset);
  }
  CHECK(lines.knots[1][1].offset == 3000);
  CHECK(lines.knots[1][2].offset == 2500);
  CHECK(lines.knots[1][2].uncertainty == 3010);
  for (const ClockKnot& knot : lines.knots[0]) CHECK(knot.offset == 0);
}

TEST_CASE("what messages need of a clock that wanders moves no other of which they say little") {
  Job job({{}, {5e8, 20, 3000}, {-5e8, -20}});
  for (const double begin : {0.0, job.end - 1e6})
    for (int i = 0; i < 40; ++i)
      for (const std::uint32_t clock : {1u, 2u}) {
        job.message(0, clock, begin + i * 2e4, 500);
        job.message(clock, 0, begin + i * 2e4 + 1e4, 500);
      }
  for (double t = 2e6; t < job.end - 2e6; t += 1e6) {
    job.message(0, 1, t, 500);
    job.message(1, 0, t + 5e5, 500);
    job.message(0, 2, t, 60'000);  // the middle of what is possible is far from where it is
    job.message(2, 0, t + 5e5, 2'000);
  }
  check_within(1000, job);
}

TEST_CASE("clocks that few messages bound are as fast as each other: lines do not run away before and behind them") {
  Job job({{}, {}});
  job.end = 1e10;
  for (ClockToPlace& place : job.places) place.end = job.clocks[0](job.end);
  SECTION("one message there and one back, at the begin") {
    job.message(0, 1, 1e6, 20e3);
    job.message(1, 0, 1.05e6, 20e3);
  }
  SECTION("one message there at the begin, and one back at the end") {
    job.message(0, 1, 1e6, 20e3);
    job.message(1, 0, job.end - 1e6, 20e3);
  }
  SECTION("one message") {
    job.message(0, 1, 1e6, 20e3);
  }
  const CommonTime common = common_time(job.places, job.bounds);
  CHECK(common.reversed == 0);
  CHECK(errors_of(job, common).beyond == 0);
  const std::vector<ClockKnot>& line = common.clocks[1];
  const auto slope = static_cast<double>(line.back().offset - line.front().offset) /
                     static_cast<double>(line.back().time - line.front().time);
  CHECK(std::abs(slope) <= 5e-4);
}

TEST_CASE("messages that take long bound little, and what is stated is no less") {
  Job job(sixteen_clocks(1000));
  job.messages(1'000, 0, job.end, 100'000);
  const CommonTime common = common_time(job.places, job.bounds);
  CHECK(common.reversed == 0);
  CHECK(errors_of(job, common).beyond == 0);
}

TEST_CASE("messages in one direction leave the guess where they allow it, and never go back in time") {
  Job job({{}, {3e6, 0, 0}});
  job.places[1].guess = -2'000'000;  // says 1 ms too late: each message would arrive before it was sent, or 1 ms late
  for (double t = 1e6; t < job.end; t += 1e6) job.message(1, 0, t, 1000);
  const CommonTime common = common_time(job.places, job.bounds);
  CHECK(common.reversed == 0);
  CHECK(common.uncertainty >= 5e5);
  CHECK(errors_of(job, common).beyond == 0);
}

TEST_CASE("a clock without messages stays where it was guessed to be, with the doubt of the guess") {
  Job job({{}, {5e8, 20, 0}, {-3e8, 0, 0}});
  job.messages(0, 0, 1, 1);
  for (double t = 0; t < job.end; t += 1e6) {
    job.message(0, 1, t, 600);
    job.message(1, 0, t + 1000, 600);
  }
  job.places[2].guess = 300'000'000 + 1234;
  const CommonTime common = common_time(job.places, job.bounds);
  CHECK(common.reversed == 0);
  for (const ClockKnot& k : common.clocks[2]) {
    CHECK(std::abs(k.offset - 300'001'234) <= 200);
    CHECK(k.uncertainty >= 1e6);
  }
}

TEST_CASE("clocks that contradict every message are placed, and what stays reversed is counted") {
  Job job({{}, {0, 0, 0}});
  for (double t = 1e6; t < job.end; t += 1e7) {
    job.bounds.push_back({0, 1, job.clocks[0](t), job.clocks[1](t) - 5000});
    job.bounds.push_back({1, 0, job.clocks[1](t), job.clocks[0](t) - 5000});
  }
  const CommonTime common = common_time(job.places, job.bounds);
  CHECK(common.reversed > 0);
  CHECK(common.reversed <= job.bounds.size());
  CHECK(common.uncertainty >= 5000);
}

TEST_CASE("without any message clocks are where they were guessed to be") {
  Job job({{}, {7e8, 0, 0}});
  job.places[1].guess = -700'000'000;
  const CommonTime common = common_time(job.places, {});
  REQUIRE(common.clocks.size() == 2);
  CHECK(common.clocks[0].front().offset == 0);
  CHECK(common.clocks[1].front().offset == -700'000'000);
  CHECK(common.clocks[1].back().offset == -700'000'000);
  CHECK(common.clocks[1].front().time == job.places[1].begin);
  CHECK(common.uncertainty == 1e6);
}

}  // namespace
}  // namespace tracer
