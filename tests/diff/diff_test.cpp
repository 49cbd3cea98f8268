// SPDX-License-Identifier: BSD-3-Clause
// Comparisons of reports, most of them made by hand.
#include "tracer/report/diff/diff.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/diff/made_reports.hpp"
#include "tests/report/known_traces.hpp"
#include "tracer/error.hpp"
#include "tracer/report/analyze.hpp"

using namespace tracer::report;
using tracer::test::loop_at, tracer::test::run_of;

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

TEST_CASE("a device's streams are in no sum of the threads") {
  Report before = run_of(100, 60), after = before;
  ThreadRow stream;
  stream.is_stream = true;
  stream.ns[static_cast<std::size_t>(Activity::work)] = 500;
  after.thread_rows.push_back(stream);
  CHECK(Limit{"work > 0%"}.passed_by(diff({before}, {after})).empty());
}

TEST_CASE("the imbalance of a run is what its threads waited for the last one, in the loop or around it") {
  tracer::test::TraceBuilder even = tracer::test::even_loop(), uneven = tracer::test::imbalance_3_to_1();
  const Diff both = diff({analyze(even)}, {analyze(uneven)});
  const auto imbalance = std::find_if(both.whole.begin(), both.whole.end(),
                                      [](const Quantity& quantity) { return quantity.name == "imbalance"; });
  REQUIRE(imbalance != both.whole.end());
  CHECK(imbalance->change.before == 0);
  CHECK(imbalance->change.after == Approx(3 * 20e6).epsilon(0.02));
  // Of a construct: the slowest thread's 30 ms without the mean, 15 ms.
  for (const DiffRow& row : both.constructs)
    if (row.name.starts_with("!$omp for")) CHECK(row.imbalance.after == 15e6);
}

TEST_CASE("with phases the time is that within them") {
  Report before = run_of(100, 60), after = run_of(102, 60);
  for (Report* report : {&before, &after}) report->account.is_confined = true;
  before.account.within = 10;
  after.account.within = 12;
  CHECK(Limit{"time > 15%"}.passed_by(diff({before}, {after})).size() == 1);
}

TEST_CASE("a limit of a construct that neither side has is an error") {
  const Diff both = diff({run_of(100, 60)}, {run_of(100, 60)});
  CHECK(Limit{"time of '*for*' > 0%"}.passed_by(both).empty());
  CHECK_THROWS_AS(Limit{"time of 'for*' > 0%"}.passed_by(both), tracer::UsageError);
}

TEST_CASE("devices of processes that are called by their numbers are the same in their order") {
  const auto job = [](const char* first, const char* second) {
    Report report = run_of(100, 60);
    std::uint32_t group = 0;
    for (const char* name : {first, second}) {
      ProcessRow process;
      process.group = group;
      process.name = name;
      report.processes.push_back(process);
      DeviceRow device;
      device.name = "Device 0";
      device.process = group++;
      device.busy = 10 * group;
      report.devices.push_back(device);
    }
    return report;
  };
  const Diff both =
      diff({job("Process 4711 (app)", "Process 4712 (app)")}, {job("Process 23 (app)", "Process 9 (app)")});
  REQUIRE(both.devices.size() == 2);
  CHECK(both.devices[0].name == "Device 0, process 1 (app)");
  CHECK(both.devices[1].busy.before == 20);
  CHECK(both.devices[1].busy.after == 20);
}

TEST_CASE("a construct that one side has not stands beside nothing") {
  const Diff both = diff({run_of(100, 60)}, {run_of(100, 60, 0, "!$omp for @a.c:2")});
  REQUIRE(both.constructs.size() == 2);
  CHECK(both.constructs[0].time.before + both.constructs[0].time.after == 60);
  CHECK(both.constructs[1].count.before + both.constructs[1].count.after == 4);
  const auto json = nlohmann::json::parse(diff_json(both, {}));
  CHECK(json["constructs"][0]["time"]["noise"].is_null());
}

TEST_CASE("constructs of a function that moved are the same in their order") {
  const auto side = [](std::vector<std::pair<unsigned, std::uint64_t>> loops, const char* function = "f") {
    Report report = run_of(100, 0);
    report.regions.clear();
    for (const auto& [line, ns] : loops) report.regions.push_back(loop_at("/src/a.c", line, function, ns));
    return report;
  };
  const auto row_of = [](const Diff& diff, const std::string& name) {
    for (const DiffRow& row : diff.constructs)
      if (row.name == name) return row;
    FAIL("no " << name);
    return DiffRow{};
  };
  // Five lines more above: the second is where the first was.
  const Diff moved = diff({side({{10, 7}, {5, 100}})}, {side({{10, 200}, {15, 8}})});
  CHECK(moved.constructs.size() == 2);
  CHECK(row_of(moved, "!$omp for @a.c:10").time.before == 100);
  CHECK(row_of(moved, "!$omp for @a.c:10").time.after == 200);
  CHECK(row_of(moved, "!$omp for @a.c:10").was == "!$omp for @a.c:5");
  CHECK(row_of(moved, "!$omp for @a.c:15").time.before == 7);
  CHECK(diff_text(moved, {}).find("!$omp for @a.c:15 (was :10)") != std::string::npos);
  CHECK(nlohmann::json::parse(diff_json(moved, {}))["constructs"][0]["was"] == "!$omp for @a.c:5");
  // One more of them: nobody knows which is new.
  const Diff more = diff({side({{5, 100}, {10, 7}})}, {side({{5, 100}, {10, 7}, {15, 8}})});
  CHECK(more.constructs.size() == 3);
  CHECK(row_of(more, "!$omp for @a.c:15").time.before == 0);
  CHECK(row_of(more, "!$omp for @a.c:5").was.empty());
  const Diff other = diff({side({{5, 100}})}, {side({{6, 100}}, "g")});
  CHECK(other.constructs.size() == 2);
  // One line, and another function's now; but for parameters, or one of several, it is the same.
  const Diff instead = diff({side({{5, 100}})}, {side({{5, 60}}, "g")});
  CHECK(instead.constructs.size() == 2);
  CHECK(row_of(instead, "!$omp for @a.c:5").time.before == 0);
  CHECK(row_of(instead, "!$omp for @a.c:5 (before)").time.before == 100);
  CHECK(row_of(instead, "!$omp for @a.c:5 (before)").time.after == 0);
  for (const char* function : {"f(int)", "g(), f(double)", "f.constprop.0", ""})
    CHECK(diff({side({{5, 100}})}, {side({{5, 60}}, function)}).constructs.size() == 1);
  // What is another's name now stands for itself.
  Report both = side({{5, 100}});
  both.regions.push_back(side({{10, 3}}, "gone").regions[0]);
  const Diff twice = diff({both}, {side({{10, 100}})});
  CHECK(twice.constructs.size() == 2);
  CHECK(row_of(twice, "!$omp for @a.c:10").was == "!$omp for @a.c:5");
  CHECK(row_of(twice, "!$omp for @a.c:10 (before)").time.before == 3);
}

TEST_CASE("of two branches each run executed another one: nothing moved above what is where it was") {
  const auto side = [](unsigned loop, unsigned barrier) {
    Report report = run_of(100, 0);
    report.regions = {loop_at("/src/a.c", loop, "f", 10), loop_at("/src/a.c", barrier, "f", 1)};
    report.regions[1].label = "barrier";
    report.regions[1].name = "!$omp barrier @a.c:" + std::to_string(barrier);
    return report;
  };
  const auto moved = [](const Diff& diff) {
    return std::count_if(diff.constructs.begin(), diff.constructs.end(),
                         [](const DiffRow& row) { return !row.was.empty(); });
  };
  const Diff branches = diff({side(10, 30)}, {side(20, 30)});
  CHECK(branches.constructs.size() == 3);
  CHECK(moved(branches) == 0);
  CHECK(moved(diff({side(10, 30)}, {side(20, 40)})) == 2);  // ten lines more
  CHECK(moved(diff({side(40, 30)}, {side(50, 30)})) == 1);  // behind it
  CHECK(moved(diff({side(20, 30)}, {side(50, 30)})) == 0);  // on both sides of it
}

TEST_CASE("constructs of one name in two directories are two, of which one may move") {
  const auto side = [](unsigned line_in_a, std::uint64_t a, std::uint64_t b) {
    Report report = run_of(100, 0);
    report.regions.clear();
    report.regions.push_back(loop_at("/src/a/solver.cpp", line_in_a, "a::solve()", a));
    report.regions.push_back(loop_at("/src/b/solver.cpp", 40, "b::solve()", b));
    return report;
  };
  const Diff moved = diff({side(40, 5, 100)}, {side(42, 6, 300)});
  REQUIRE(moved.constructs.size() == 2);
  CHECK(moved.constructs[0].name == "!$omp for @solver.cpp:40");
  CHECK(moved.constructs[0].was.empty());
  CHECK(moved.constructs[0].time.before == 100);
  CHECK(moved.constructs[0].time.after == 300);
  CHECK(moved.constructs[1].name == "!$omp for @solver.cpp:42");
  CHECK(moved.constructs[1].was == "!$omp for @solver.cpp:40");
  CHECK(moved.constructs[1].time.before == 5);
  CHECK(moved.constructs[1].time.after == 6);
  CHECK(diff({side(40, 5, 100)}, {side(40, 6, 300)}).constructs.size() == 2);
}

TEST_CASE("without lines constructs are the same by function and the order of their addresses") {
  const auto side = [](const char* first, const char* second) {
    Report report = run_of(100, 0);
    report.regions.clear();
    for (const char* address : {first, second}) {
      RegionRow row;
      row.name = std::string{"!$omp for @"} + address + " in app (f)";
      row.label = "for";
      row.function = "f";
      row.exclusive = address == first ? 10 : 20;
      report.regions.push_back(row);
    }
    return report;
  };
  const Diff moved = diff({side("0x99", "0x123")}, {side("0x123", "0x2000")});
  REQUIRE(moved.constructs.size() == 2);
  for (const DiffRow& row : moved.constructs) CHECK(row.time.delta() == 0);
  CHECK(diff_text(moved, {}).find("!$omp for @0x2000 in app (f)  ") != std::string::npos);
  CHECK(moved.constructs[0].was == "!$omp for @0x99 in app (f)");
}

TEST_CASE("without lines constructs of several libraries are those of the same library") {
  const auto add = [](Report& report, const std::string& address, const std::string& module, std::uint64_t ns) {
    RegionRow row = loop_at("/lib/" + module, 0, "f", ns);
    row.name = "!$omp for @" + address + " in " + module + " (f)";
    report.regions.push_back(row);
  };
  Report before = run_of(100, 0);
  before.regions.clear();
  Report after = before, other = before, renamed = before;
  add(before, "0x10", "liba.so", 7);
  add(before, "0x20", "libb.so", 50);
  add(after, "0x5", "libb.so", 50);
  add(after, "0x30", "liba.so", 7);
  const Diff two = diff({before}, {after});
  REQUIRE(two.constructs.size() == 2);
  for (const DiffRow& row : two.constructs) CHECK(row.time.delta() == 0);
  // Of one on each side it is the same, however it is called.
  add(other, "0x10", "app", 7);
  add(renamed, "0x20", "app.new", 7);
  CHECK(diff({other}, {renamed}).constructs.size() == 1);
}

TEST_CASE("a limit of a construct that moved may name it by its line before or after") {
  const auto side = [](unsigned first, std::uint64_t ns) {
    Report report = run_of(100, 0);
    report.regions = {loop_at("/src/a.c", first, "f", ns), loop_at("/src/a.c", first + 5, "f", ns + 10)};
    return report;
  };
  const Diff moved = diff({side(5, 100)}, {side(10, 200)});  // 5 to 10, and 10 to 15
  using Lines = std::vector<std::string>;
  const std::string first = "!$omp for @a.c:10 (was !$omp for @a.c:5)",
                    second = "!$omp for @a.c:15 (was !$omp for @a.c:10)";
  CHECK(Limit{"time of *:5 > 5%"}.passed_by(moved) == Lines{"time of *:5 > 5%: " + first});
  CHECK(Limit{"time of *:15 > 5%"}.passed_by(moved) == Lines{"time of *:15 > 5%: " + second});
  Lines both = Limit{"time of *:10 > 5%"}.passed_by(moved);
  std::sort(both.begin(), both.end());
  CHECK(both == Lines{"time of *:10 > 5%: " + first, "time of *:10 > 5%: " + second});
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

TEST_CASE("data movement of constructs of one name in two directories is of two constructs") {
  Report side = run_of(1000, 60);
  side.regions = {loop_at("/src/a/copy.c", 40, "a", 1), loop_at("/src/b/copy.c", 40, "b", 1)};
  for (const tracer::RegionRef region : {0u, 1u}) {
    side.regions[region].region = region;
    DataMovementRow row;
    row.region = region;
    row.name = side.regions[region].name;
    row.ns = 40 - region;
    side.data_movement.push_back(row);
  }
  const Diff same = diff({side}, {side});
  REQUIRE(same.movement.size() == 2);
  for (const MovementDiff& row : same.movement) {
    CHECK(row.name == "!$omp for @copy.c:40");
    CHECK(row.was.empty());
    CHECK(row.time.before < 41);
    CHECK(row.time.delta() == 0);
  }
}

TEST_CASE("devices and data movement are compared, constructs of other lines as one") {
  const auto side = [](std::uint64_t copied, unsigned line) {
    Report report = run_of(1000, 60);
    report.regions.clear();
    RegionRow region;
    region.name = "!$omp target data to device @a.c:" + std::to_string(line);
    region.label = "target data to device";
    region.file = "/src/a.c";
    region.function = "f";
    region.line = line;
    region.count = 1;
    report.regions.push_back(region);
    DeviceRow device;
    device.name = "Device 0";
    device.busy = 500 + copied;
    device.idle = 70;
    device.kernels = 8;
    device.kernel_ns = 500;
    device.to_device = {4, 4096, copied};
    device.memory.peak = 1 << 20;
    report.devices.push_back(device);
    if (copied == 0) return report;
    DataMovementRow row;
    row.pattern = DataPattern::duplicate_transfer;
    row.name = region.name;
    row.count = 3;
    row.bytes = 3072;
    row.ns = copied;
    report.data_movement.push_back(row);
    return report;
  };
  const auto quantity = [](const Diff& diff, const std::string& name) {
    for (const Quantity& one : diff.whole)
      if (one.name == name) return one.change;
    FAIL("no " << name);
    return Change{};
  };
  const Diff moved = diff({side(40, 10)}, {side(30, 12)});
  REQUIRE(moved.devices.size() == 1);
  CHECK(moved.devices[0].name == "Device 0");
  CHECK(moved.devices[0].busy.delta() == -10);
  CHECK(moved.devices[0].kernels.before == 8);
  CHECK(moved.devices[0].copy_time.after == 30);
  CHECK(moved.devices[0].memory.after == 1 << 20);
  REQUIRE(moved.movement.size() == 1);
  CHECK(moved.movement[0].name == "!$omp target data to device @a.c:12");
  CHECK(moved.movement[0].was == "!$omp target data to device @a.c:10");
  CHECK(moved.movement[0].time.before == 40);
  CHECK(moved.movement[0].time.after == 30);
  CHECK(quantity(moved, "device_idle").before == 70);
  const std::string text = diff_text(moved, {});
  CHECK(text.find("a.c:12 (was :10)") != std::string::npos);
  CHECK(text.find("duplicate-transfer") != std::string::npos);

  const Diff mended = diff({side(40, 10), side(44, 10), side(42, 10)}, {side(0, 10), side(0, 10), side(0, 10)});
  REQUIRE(mended.movement.size() == 1);
  CHECK(mended.movement[0].count.after == 0);
  CHECK(mended.movement[0].time.beyond_noise());
  CHECK(quantity(mended, "data_movement").delta() == -42);
  const auto json = nlohmann::json::parse(diff_json(mended, Limit{"data_movement < -50%"}.passed_by(mended)));
  CHECK(json["limits_passed"].size() == 1);
  CHECK(json["data_movement"][0]["pattern"] == "duplicate-transfer");
  CHECK(json["data_movement"][0]["bytes"]["before"] == 3072);
  CHECK(json["devices"][0]["kernel_time"]["beyond_noise"] == false);
}
