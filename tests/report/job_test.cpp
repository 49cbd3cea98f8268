// SPDX-License-Identifier: BSD-3-Clause
// What belongs to one process of a job is not taken for another's, in reports.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/trace_builder.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/what_if/what_if.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

/// Two processes of one thread each; a device, of a stream, of the first.
TraceBuilder two_processes() {
  TraceBuilder trace{2, 1};
  Definitions& definitions = trace.editable();
  definitions.groups_of_locations.push_back({"Another process", LocationGroupKind::process, 1, undefined_ref, {}});
  definitions.locations[1].group = 2;
  return trace;
}

Json report_of(TraceBuilder& trace) {
  return Json::parse(report::to_json(report::analyze(trace)));
}

}  // namespace

TEST_CASE("a device is busy while its own process works or not, whatever other processes do") {
  for (const LocationRef waits : {0, 1}) {
    TraceBuilder trace = two_processes();
    const RegionRef wait = trace.region("taskwait", RegionRole::task_wait),
                    kernel = trace.region("target kernel", RegionRole::code);
    for (const LocationRef thread : {0, 1}) trace.simple(thread, ms, EventType::program_begin, 0, 1);
    trace.enter(waits, 2 * ms, wait);
    trace.enter(2, 3 * ms, kernel);
    trace.leave(2, 8 * ms, kernel);
    trace.leave(waits, 9 * ms, wait);
    for (const LocationRef thread : {0, 1}) trace.simple(thread, 10 * ms, EventType::program_end);
    const Json report = report_of(trace);
    const Json& device = report["devices"][0];
    CHECK(device["process"] == 0);
    CHECK(device["busy_ns"] == 5 * ms);
    CHECK(device["overlap_host_ns"] == (waits == 0 ? 0 : 5 * ms));
  }
}

TEST_CASE("locks that have the same number in two processes are two") {
  TraceBuilder trace = two_processes();
  const RegionRef region = trace.region("critical", RegionRole::critical);
  for (const LocationRef thread : {0, 1}) {
    trace.simple(thread, ms, EventType::program_begin, 0, 1);
    trace.enter(thread, 2 * ms + thread * us, region);
    trace.simple(thread, 3 * ms + thread * us, EventType::acquire_lock, 0, 0, 1);
    trace.simple(thread, 5 * ms + thread * us, EventType::release_lock, 0, 0, 1);
    trace.leave(thread, 5 * ms + thread * us, region);
    trace.simple(thread, 6 * ms, EventType::program_end);
  }
  const Json report = report_of(trace);
  REQUIRE(report["locks"].size() == 2);
  CHECK(report["locks"][0]["process"] == 0);
  CHECK(report["locks"][1]["process"] == 2);
  for (const Json& lock : report["locks"]) {
    CHECK(lock["acquisitions"] == 1);
    CHECK(lock["contended"] == 0);
    CHECK(lock["wait_ns"] == ms);
    CHECK(lock["held_ns"] == 2 * ms);
  }
}

TEST_CASE("the runtimes of a job are those of all its processes, with the sums of their threads") {
  TraceBuilder trace = two_processes();
  for (const LocationRef thread : {0, 1}) {
    trace.simple(thread, ms, EventType::program_begin, 0, 1);
    trace.simple(thread, 2 * ms, EventType::program_end);
  }
  auto& groups = trace.editable().groups_of_locations;
  groups[0].properties = {{"TRACER::RUN::ENDED", "return"}, {"TRACER::RUN::LIBGOMP::0", "4 /lib/libgomp.so.1"}};
  groups[2].properties = {{"TRACER::RUN::ENDED", "signal"},
                          {"TRACER::RUN::LIBGOMP::0", "2 /wheel/libgomp-a.so"},
                          {"TRACER::RUN::LIBGOMP::1", "3 /lib/libgomp.so.1"}};
  const Json runtimes = report_of(trace)["run"]["runtimes"];
  REQUIRE(runtimes.size() == 2);
  CHECK(runtimes[0] == Json{{"library", "/lib/libgomp.so.1"}, {"threads", 7}});
  CHECK(runtimes[1] == Json{{"library", "/wheel/libgomp-a.so"}, {"threads", 2}});
}

TEST_CASE("a job takes by the model what its slowest process takes") {
  TraceBuilder trace = two_processes();
  Definitions& definitions = trace.editable();
  const auto group = static_cast<std::uint32_t>(definitions.groups.size());
  for (const std::uint32_t thread : {0, 1})
    definitions.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {thread}});
  definitions.comms = {{"Thread team 0", group, undefined_ref}, {"Thread team 1", group + 1, undefined_ref}};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel);
  for (const LocationRef thread : {0, 1}) {
    const std::uint64_t end = (thread == 0 ? 12 : 22) * ms;
    trace.simple(thread, ms, EventType::program_begin, 0, 1);
    trace.simple(thread, 2 * ms, EventType::thread_fork, 0, 1);
    trace.simple(thread, 2 * ms, EventType::team_begin, thread);
    trace.enter(thread, 2 * ms, parallel);
    trace.leave(thread, end, parallel);
    trace.simple(thread, end, EventType::team_end, thread);
    trace.simple(thread, end, EventType::thread_join);
    trace.simple(thread, end + ms, EventType::program_end);
  }
  const report::WhatIf found = report::what_if(trace, {}, [](double) {});
  CHECK(found.processes == 2);
  CHECK(found.recorded == 22 * ms);
  CHECK(found.serial == 2 * ms);
  CHECK(found.baseline.wall == 22 * ms);
}
