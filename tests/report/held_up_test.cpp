// SPDX-License-Identifier: BSD-3-Clause
// What threads wait for where others on the machine take processors, and beside fewer tasks than threads that wait.
#include "catch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

/// ms of a thread.
struct Ran {
  unsigned processor = 5, delay = 8;
};

/// Three threads wait 5 ms for the fourth at the end of a loop.
Json beside_load(Ran last, const std::string& schedule = {}, Ran others = {}) {
  TraceBuilder trace{4};
  trace.editable().strings.push_back(schedule);
  trace.editable().parameters = {{"schedule", EventType::parameter_string}};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    const std::uint64_t done = start + (thread == 3 ? 25 : 20) * ms;
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, loop);
    if (!schedule.empty()) trace.simple(thread, start, EventType::parameter_string, 0, 2);
    trace.leave(thread, done, loop);
    trace.enter(thread, done, barrier);
    trace.leave(thread, start + 25 * ms, barrier);
    trace.team_end(thread, start + 25 * ms, parallel);
    auto& properties = trace.editable().locations[thread].properties;
    const Ran ran = thread == 3 ? last : others;
    properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(ran.processor * ms)});
    properties.push_back({"TRACER::DELAY_NS", std::to_string(ran.delay * ms)});
  }
  trace.simple(0, start + 25 * ms, EventType::program_end);
  return report_of(trace);
}

}  // namespace

TEST_CASE("waiting that is no more than what others had no processor for is the machine's, and no finding") {
  const Json even = beside_load({});
  check_near(even["account"]["time"]["imbalance_ns"], 15e6);  // the account says what was, whoever is the cause
  CHECK(even["verdict"]["findings"].empty());
  INFO(even["verdict"].dump(2));
  CHECK(note_in(even, "held-up").find("Threads wait 15 ms at implicit barrier") == 0);
  const Json more_to_compute = beside_load({.processor = 15});
  REQUIRE(more_to_compute["verdict"]["findings"].size() == 1);
  CHECK(more_to_compute["verdict"]["findings"][0]["id"] == "imbalance");
  CHECK(note_in(more_to_compute, "held-up").empty());
  // Of what is handed out a thread does less where it has no processor: that it did more says nothing.
  CHECK(beside_load({.processor = 15}, "dynamic")["verdict"]["findings"].empty());
}

TEST_CASE("a thread that has the others' work and a longer delay computes no more than they") {
  const Json even = beside_load({.processor = 15, .delay = 10}, {}, {.processor = 15, .delay = 5});
  INFO(even["verdict"].dump(2));
  CHECK(even["verdict"]["findings"].empty());
  CHECK(note_in(even, "held-up").find("Threads wait 15 ms at implicit barrier") == 0);
}

TEST_CASE("what a region's work had no processor for explains its waiting once, at however many barriers") {
  const auto report_with = [](std::uint64_t delay) {
    TraceBuilder trace{4};
    const auto parallel = trace.region("parallel", RegionRole::parallel);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, start, parallel);
    for (unsigned i = 0; i < 4; ++i) {
      const auto loop = trace.region("for", RegionRole::loop, 20 + i),
                 barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 20 + i);
      const std::uint64_t begin = start + i * 25 * ms;
      for (LocationRef thread = 0; thread < 4; ++thread) {
        const std::uint64_t done = begin + (thread == 3 ? 25 : 20) * ms;
        trace.enter(thread, begin, loop);
        trace.leave(thread, done, loop);
        trace.enter(thread, done, barrier);
        trace.leave(thread, begin + 25 * ms, barrier);
      }
    }
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_end(thread, start + 100 * ms, parallel);
      auto& properties = trace.editable().locations[thread].properties;
      properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(40 * ms)});
      properties.push_back({"TRACER::DELAY_NS", std::to_string(delay)});
    }
    trace.simple(0, start + 100 * ms, EventType::program_end);
    return report_of(trace);
  };
  const Json more = report_with(7'500'000);  // 60 ms of waiting, 30 ms without a processor
  CHECK(more["verdict"]["findings"].size() == 4);
  CHECK(note_in(more, "held-up").empty());
  const Json held_up = report_with(15 * ms);
  CHECK(held_up["verdict"]["findings"].empty());
  CHECK(note_in(held_up, "held-up").find("could have run for 15 ms more") != std::string::npos);  // at each of four
}

TEST_CASE("waiting at one place for several causes that are the machine's is one note") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const RegionRef loops[] = {trace.region("for", RegionRole::loop, 11), trace.region("for", RegionRole::loop, 12)};
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    std::uint64_t now = start;
    for (const RegionRef loop : loops) {
      const std::uint64_t done = now + (thread == 3 ? 25 : 20) * ms, end = now + 25 * ms;
      trace.team_begin(thread, now, parallel);
      trace.enter(thread, now, loop);
      trace.leave(thread, done, loop);
      trace.enter(thread, done, barrier);
      trace.leave(thread, end, barrier);
      trace.team_end(thread, end, parallel);
      now = end + ms;
    }
    auto& properties = trace.editable().locations[thread].properties;
    properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(10 * ms)});
    properties.push_back({"TRACER::DELAY_NS", std::to_string(16 * ms)});
  }
  trace.simple(0, start + 51 * ms, EventType::program_end);
  const Json report = report_of(trace);
  INFO(report["verdict"].dump(2));
  CHECK(note_in(report, "held-up").find("Threads wait 30 ms at implicit barrier") == 0);
  CHECK(std::ranges::count(report["verdict"]["notes"], "held-up", [](const Json& note) { return note["id"]; }) == 1);
}

TEST_CASE("of threads that wait actively what slept was at work, and what lacked processors was waiting") {
  const auto report_with = [](const char* policy) {
    TraceBuilder trace{4};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
    trace.editable().properties.push_back({"TRACER::RUN::ENV::OMP_WAIT_POLICY", policy});
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 4; ++thread) {
      const std::uint64_t done = start + (thread == 3 ? 24 : 16) * ms;
      trace.team_begin(thread, start, parallel);
      trace.enter(thread, done, barrier);
      trace.leave(thread, start + 24 * ms, barrier);
      trace.team_end(thread, start + 24 * ms, parallel);
      auto& properties = trace.editable().locations[thread].properties;
      properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(thread == 3 ? 0 : ms)});
      properties.push_back({"TRACER::DELAY_NS", std::to_string(thread == 3 ? 0 : 7 * ms)});
    }
    trace.simple(0, start + 24 * ms, EventType::program_end);
    return report_of(trace);
  };
  const Json active = report_with("ACTIVE"), passive = report_with("passive");
  CHECK(active["account"]["time"]["descheduled_ns"] == 0);
  check_near(passive["account"]["time"]["descheduled_ns"], 21e6);
  REQUIRE(active["verdict"]["findings"].size() == 1);
  CHECK(active["verdict"]["findings"][0]["id"] == "imbalance");
  CHECK(passive["verdict"]["findings"].empty());
}

TEST_CASE("tasks are as small as what they ran, however long they had no processor") {
  const auto report_with = [](std::uint64_t delay) {
    constexpr unsigned tasks = 4'000;
    TraceBuilder trace{2};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               create = trace.region("create task", RegionRole::task_create, 12),
               task = trace.region("task", RegionRole::task, 12),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 2; ++thread) trace.team_begin(thread, start, parallel);
    for (unsigned i = 1; i <= tasks; ++i) trace.create_task(0, start, create, i, i);
    for (LocationRef thread = 0; thread < 2; ++thread) trace.enter(thread, start, barrier);
    const std::uint64_t end = start + tasks * 20 * us;
    for (unsigned i = 0; i < tasks; ++i)
      trace.run_task(1, start + i * 20 * us + 6 * us, start + (i + 1) * 20 * us, task, 0, i + 1);
    for (LocationRef thread = 0; thread < 2; ++thread) {
      trace.leave(thread, end, barrier);
      trace.team_end(thread, end, parallel);
    }
    trace.simple(0, end, EventType::program_end);
    auto& properties = trace.editable().locations[1].properties;
    properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(56 * ms - delay)});
    properties.push_back({"TRACER::DELAY_NS", std::to_string(delay)});
    return report_of(trace);
  };
  const std::string text = finding(report_with(28 * ms), "small-tasks")["text"];
  INFO(text);
  CHECK(text.find("4,000 tasks do 7 us of work each") == 0);
  for (const Json& one : report_with(0)["verdict"]["findings"]) CHECK(one["id"] != "small-tasks");  // 14 us
}

TEST_CASE("threads that come late to a region without a processor are the machine's") {
  const auto late_by = [](std::uint64_t delay) {
    TraceBuilder trace{4};
    const auto parallel = trace.region("parallel", RegionRole::parallel);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 4; ++thread) {
      const std::uint64_t begin = start + (thread == 0 ? 0 : 20 * ms);
      trace.team_begin(thread, begin, parallel);
      trace.team_end(thread, start + 40 * ms, parallel);
      auto& properties = trace.editable().locations[thread].properties;
      properties.push_back({"TRACER::PROCESSOR_NS", std::to_string(ms)});
      properties.push_back({"TRACER::DELAY_NS", std::to_string(delay)});
    }
    trace.simple(0, start + 40 * ms, EventType::program_end);
    return report_of(trace);
  };
  const Json slept = late_by(0), woken = late_by(18 * ms);
  check_near(slept["account"]["time"]["team_ns"], 60e6);
  check_near(woken["account"]["time"]["team_ns"], 60e6);
  REQUIRE(!slept["verdict"]["findings"].empty());
  CHECK(slept["verdict"]["findings"][0]["id"] == "late-threads");
  CHECK(woken["verdict"]["findings"].empty());
  CHECK(note_in(woken, "held-up").find("Threads come to parallel") == 0);
}

TEST_CASE("workers that come to a region before its first thread has entered it are late to that region") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start, EventType::thread_fork, 0, 2);
  trace.simple(1, start + 10 * ms, EventType::team_begin, 0);
  trace.simple(0, start + 20 * ms, EventType::team_begin, 0);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.enter(thread, start + 20 * ms, parallel);
    trace.leave(thread, start + 40 * ms, parallel);
    trace.simple(thread, start + 40 * ms, EventType::team_end, 0);
  }
  trace.simple(0, start + 40 * ms, EventType::thread_join);
  trace.simple(0, start + 40 * ms, EventType::program_end);
  std::uint64_t of_region = 0, of_none = 0;
  const Json report = report_of(trace);
  for (const Json& cell : report["account"]["details"])
    if (cell["place"] == "team") (cell["parallel"] == "" ? of_none : of_region) += cell["ns"].get<std::uint64_t>();
  CHECK(of_none == 0);
  check_near(of_region, 30e6);  // the worker for 10 ms, the first thread for 20
}

TEST_CASE("of threads that wait beside fewer tasks the others find none") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             create = trace.region("create task", RegionRole::task_create, 12),
             task = trace.region("task", RegionRole::task, 12),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start, parallel);
    if (thread != 0) trace.enter(thread, start, barrier);
  }
  // One task is there from 10 ms on, and is begun at 22 ms, beside three threads that wait.
  trace.create_task(0, start + 10 * ms, create, 1, 1);
  trace.run_task(1, start + 22 * ms, start + 40 * ms, task, 0, 1);
  trace.enter(0, start + 40 * ms, barrier);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, start + 40 * ms, barrier);
    trace.team_end(thread, start + 40 * ms, parallel);
  }
  trace.simple(0, start + 40 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& times = report["account"]["time"];
  check_near(times["tasking_ns"], 12e6);                         // a third of 3 x 12 ms
  check_near(times["starvation_ns"], (30 + 24 + 2 * 18) * 1e6);  // before it, two thirds beside it, and while it runs
}
