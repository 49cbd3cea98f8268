// SPDX-License-Identifier: BSD-3-Clause
// The verdict's first sentence, and what it says of time in which nothing was found.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

/// 80 ms without a region, and then `loops` regions in which one of four threads works twice as long as the others.
Json with_uneven_loops(unsigned loops, std::uint64_t each) {
  TraceBuilder trace{4};
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t begin = start + 80 * ms;
  for (unsigned i = 0; i < loops; ++i) {
    const auto parallel = trace.region("parallel", RegionRole::parallel, 100 + i),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 100 + i);
    const std::uint64_t end = begin + each;
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, begin, parallel);
      trace.enter(thread, thread == 3 ? end : begin + each / 2, barrier);
      trace.leave(thread, end, barrier);
      trace.team_end(thread, end, parallel);
    }
    begin = end + us;
  }
  trace.simple(0, begin, EventType::program_end);
  return report_of(trace)["verdict"];
}

}  // namespace

TEST_CASE("what is lost in many places, each too little for a finding, is said where it is more than the largest one") {
  const Json many = with_uneven_loops(40, 20 * ms);
  REQUIRE(many["findings"].size() == 1);
  CHECK(many["findings"][0]["id"] == "serial");
  const std::string summary = many["summary"].get<std::string>();
  CHECK(summary.starts_with("The largest single loss is serial"));
  CHECK(summary.find("beside the findings: by the account 1.2 s of the threads' time are \"imbalance: waiting at "
                     "barriers\".") != std::string::npos);
  const Json one = with_uneven_loops(1, 800 * ms);
  CHECK(one["summary"].get<std::string>().starts_with("The largest loss is imbalance"));
}

TEST_CASE("what threads slept of the time that counts as their own work is said, and is no work in the summary") {
  const auto report_with = [](std::uint64_t ran, std::uint64_t waits) {
    TraceBuilder trace{4};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, start, parallel);
      trace.enter(thread, start + 1000 * ms - (thread == 0 ? 0 : waits), barrier);
      trace.leave(thread, start + 1000 * ms, barrier);
      trace.team_end(thread, start + 1000 * ms, parallel);
      trace.editable().locations[thread].properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(ran)});
    }
    trace.simple(0, start + 1000 * ms, EventType::program_end);
    return report_of(trace);
  };
  const Json lock = report_with(250 * ms, 0);  // each has a lock of another kind for a quarter of the time
  CHECK(note_in(lock, "asleep-at-work")
            .starts_with("Of the 4 s that count as the program's own work its threads slept "
                         "3 s, 75 %: they waited for files"));
  CHECK(lock["verdict"]["summary"].get<std::string>().starts_with(
      "No single cause stands out: 25 % of the threads' time is the program's own work; most of the rest is \"asleep "
      "in "
      "the program's own code\" (3 s)."));
  CHECK(note_in(report_with(950 * ms, 0), "asleep-at-work").empty());
  CHECK(note_in(report_with(700 * ms, 300 * ms), "asleep-at-work").empty());  // at the barrier, perhaps
}
