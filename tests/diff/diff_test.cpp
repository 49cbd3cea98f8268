// SPDX-License-Identifier: BSD-3-Clause
// Comparisons of reports that are made by hand.
#include "tracer/report/diff.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tracer/error.hpp"

using namespace tracer::report;

namespace {

Report run_of(std::uint64_t wall, std::uint64_t loop, std::uint64_t lost = 0, const char* name = "!$omp for @a.c:1") {
  Report report;
  report.wall = wall;
  RegionRow row;
  row.name = name;
  row.count = 4;
  row.exclusive = loop;
  row.balance.lost = lost;
  report.regions.push_back(row);
  ThreadRow thread;
  thread.ns[static_cast<std::size_t>(Activity::work)] = loop;
  thread.ns[static_cast<std::size_t>(Activity::barrier)] = wall - loop;
  report.thread_rows.push_back(thread);
  return report;
}

}  // namespace

TEST_CASE("with one run a side the change is said and nothing of noise") {
  const Change change = compare({100}, {150});
  CHECK(change.delta() == 50);
  CHECK(change.relative() == 0.5);
  CHECK(change.noise < 0);
  CHECK_FALSE(change.beyond_noise());
}

TEST_CASE("what the runs of one side differ among themselves is noise") {
  CHECK_FALSE(compare({100, 120, 80}, {105, 125, 85}).beyond_noise());
  CHECK(compare({100, 101, 99}, {150, 151, 149}).beyond_noise());
  CHECK(compare({150, 151, 149}, {100, 101, 99}).beyond_noise());
  // Welch's interval by hand: variances of the means 1/3 each, 4 degrees of freedom, 2.776 * sqrt(2/3).
  CHECK(compare({100, 101, 99}, {150, 151, 149}).noise == Approx(2.776 * 0.8164965809).epsilon(1e-6));
  CHECK(compare({7, 7}, {7, 7}).noise == 0);
  CHECK_FALSE(compare({7, 7}, {7, 7}).beyond_noise());
}

TEST_CASE("a construct that one side has not stands beside nothing") {
  const Diff both = diff({run_of(100, 60)}, {run_of(100, 60, 0, "!$omp for @a.c:2")});
  REQUIRE(both.constructs.size() == 2);
  CHECK(both.constructs[0].time.before + both.constructs[0].time.after == 60);
  CHECK(both.constructs[1].count.before + both.constructs[1].count.after == 4);
  const auto json = nlohmann::json::parse(diff_json(both, {}));
  CHECK(json["constructs"][0]["time"]["noise"].is_null());
}

TEST_CASE("a limit is passed by what grew more, and not by noise") {
  const Diff slower = diff({run_of(1'000'000, 600'000)}, {run_of(1'100'000, 600'000)});
  CHECK(Limit{"time > 5%"}.passed_by(slower).size() == 1);
  CHECK(Limit{"time > 15%"}.passed_by(slower).empty());
  CHECK(Limit{"waiting > 50us"}.passed_by(slower).size() == 1);
  CHECK(Limit{"waiting > 200us"}.passed_by(slower).empty());
  CHECK(Limit{"work < -1%"}.passed_by(slower).empty());
  CHECK(Limit{"time of '*for*' > 0"}.passed_by(slower).empty());
  const Diff changed = diff({run_of(1'000, 600)}, {run_of(1'000, 900, 50)});
  CHECK(Limit{"time of '*for*' > 10%"}.passed_by(changed).size() == 1);
  CHECK(Limit{"imbalance of *a.c* > 10"}.passed_by(changed).size() == 1);
  CHECK(Limit{"count of * > 0"}.passed_by(changed).empty());
  const Diff noisy = diff({run_of(900, 600), run_of(1'200, 600)}, {run_of(1'000, 600), run_of(1'300, 600)});
  CHECK(Limit{"time > 1%"}.passed_by(noisy).empty());
}

TEST_CASE("a limit that makes no sense is refused with what is wrong") {
  for (const char* text : {"time", "time >", "> 5%", "time > x%", "time of > 5%", "time > fast"})
    CHECK_THROWS_AS(Limit{text}, tracer::Error);
  const Diff some = diff({run_of(1'000, 600)}, {run_of(1'000, 900)});
  CHECK_THROWS_AS(Limit{"speed > 5%"}.passed_by(some), tracer::Error);
  CHECK_THROWS_AS(Limit{"work of * > 5%"}.passed_by(some), tracer::Error);
}
