// SPDX-License-Identifier: BSD-3-Clause
// What of a part is moved into the time of its job.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tracer/merge/clocks_of_job.hpp"

namespace tracer {
namespace {

TEST_CASE("a process begins and ends by the clock that its events have in the job") {
  const std::vector<otf2::ClockOffset> line{{1000, 500, 0}, {2000, 510, 0}};
  const auto moved = [&](const char* name, const char* value) { return in_common_time({name, value}, line).value; };
  CHECK(moved("TRACER::RUN::PROCESS_START_NS", "900") == "1399");
  CHECK(moved("TRACER::RUN::PROGRAM_START_NS", "900") == "1399");
  CHECK(moved("TRACER::RUN::PROCESS_END_NS", "2000") == "2510");
  CHECK(moved("TRACER::RUN::PROCESS_END_NS", "2100") == "2611");
  CHECK(moved("TRACER::RUN::PROCESS_END_NS", "unknown") == "unknown");
  CHECK(moved("TRACER::RUN::START_RESOLUTION_NS", "1000") == "1000");  // how long, not when
  CHECK(in_common_time({"TRACER::RUN::PROCESS_END_NS", "2000"}, {}).value == "2000");
  const std::vector<otf2::ClockOffset> back{{1000, -500, 0}, {2000, -500, 0}};
  CHECK(in_common_time({"TRACER::RUN::PROCESS_END_NS", "2000"}, back).value == "1500");
}

ClockOfPart clock_with(const std::vector<Property>& properties, std::uint64_t offset, std::uint64_t realtime) {
  ClockProperties clock;
  clock.offset = offset;
  clock.length = 1'000'000'000;
  clock.realtime = realtime;
  return clock_of_part(properties, clock);
}

std::uint64_t number_in(const ClocksOfJob& job, const std::string& name) {
  const auto found = std::find_if(job.properties.begin(), job.properties.end(),
                                  [&](const Property& property) { return property.name == name; });
  REQUIRE(found != job.properties.end());
  return std::stoull(found->value);
}

TEST_CASE("what shares of a job have left between their own clocks is in that of the whole") {
  const auto share = [](const char* uncertainty, const char* reversed) {
    return clock_with({{"TRACER::JOB::CLOCK_DOMAIN", "host"},
                       {"TRACER::CLOCK::DOMAINS", "2"},
                       {"TRACER::CLOCK::UNCERTAINTY_NS", uncertainty},
                       {"TRACER::CLOCK::MESSAGES", "100"},
                       {"TRACER::CLOCK::REVERSED", reversed}},
                      1'000'000'000, 1'700'000'000'000'000'000);
  };
  const ClocksOfJob job = bring_together({share("40000", "1"), share("30000", "2")}, {});
  CHECK(number_in(job, "TRACER::CLOCK::UNCERTAINTY_NS") == 40'000);
  CHECK(number_in(job, "TRACER::CLOCK::DOMAINS") == 3);
  CHECK(number_in(job, "TRACER::CLOCK::MESSAGES") == 200);
  CHECK(number_in(job, "TRACER::CLOCK::REVERSED") == 3);
  const auto elsewhere = clock_with({{"TRACER::JOB::CLOCK_DOMAIN", "other"}}, 0, 1'700'000'000'000'000'000);
  CHECK(number_in(bring_together({share("40000", "0"), elsewhere}, {}), "TRACER::CLOCK::UNCERTAINTY_NS") == 1'040'000);
}

TEST_CASE("a part of an earlier boot than the first one's has times that are not negative") {
  constexpr std::uint64_t second = 1'000'000'000, hour = 3600 * second, day = 24 * hour, now = 1'700'000'000 * second;
  const auto job = bring_together({clock_with({{"TRACER::JOB::CLOCK_DOMAIN", "today"},
                                               {"TRACER::CLOCK::LINE", "0 3600000000000 1000 3601000000000"}},
                                              hour, now),
                                   clock_with({{"TRACER::JOB::CLOCK_DOMAIN", "yesterday"}}, 5 * hour, now - day)},
                                  {});
  CHECK(job.clock.offset == second);
  CHECK(job.clock.length == day + second);
  CHECK(job.clock.realtime == now - day);
  REQUIRE(job.offsets[0].size() == 2);
  REQUIRE(job.offsets[1].size() == 2);
  CHECK(hour + static_cast<std::uint64_t>(job.offsets[0].front().offset) == second + day);
  CHECK(5 * hour + static_cast<std::uint64_t>(job.offsets[1].front().offset) == second);
  const auto line = std::find_if(job.properties.begin(), job.properties.end(),
                                 [](const Property& property) { return property.name == "TRACER::CLOCK::LINE"; });
  REQUIRE(line != job.properties.end());
  const std::string begin = std::to_string(second + day), end = std::to_string(2 * second + day);
  CHECK(line->value == "0 " + begin + " 1000 " + end);
}

TEST_CASE("parts of one clock may begin at an unknown time of day") {
  const auto part =
      clock_with({{"TRACER::JOB::CLOCK_DOMAIN", "host"}}, 1'000'000'000, ClockProperties::unknown_realtime);
  const ClocksOfJob job = bring_together({part, part}, {});
  CHECK(job.clock.realtime == ClockProperties::unknown_realtime);
  CHECK(job.clock.length == 1'000'000'000);
}

}  // namespace
}  // namespace tracer
