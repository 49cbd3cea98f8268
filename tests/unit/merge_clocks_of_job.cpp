// SPDX-License-Identifier: BSD-3-Clause
// What of a part is moved into the time of its job.
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
  CHECK(moved("TRACER::RUN::PROCESS_END_NS", "2000") == "2510");
  CHECK(moved("TRACER::RUN::PROCESS_END_NS", "2100") == "2611");
  CHECK(moved("TRACER::RUN::PROCESS_END_NS", "unknown") == "unknown");
  CHECK(moved("TRACER::RUN::START_RESOLUTION_NS", "1000") == "1000");  // how long, not when
  CHECK(in_common_time({"TRACER::RUN::PROCESS_END_NS", "2000"}, {}).value == "2000");
  const std::vector<otf2::ClockOffset> back{{1000, -500, 0}, {2000, -500, 0}};
  CHECK(in_common_time({"TRACER::RUN::PROCESS_END_NS", "2000"}, back).value == "1500");
}

}  // namespace
}  // namespace tracer
