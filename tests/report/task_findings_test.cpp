// SPDX-License-Identifier: BSD-3-Clause
// Findings about tasks where a run has several kinds of them: each is told by its own region's.
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

/// Four threads. In a first region each begins a task of 1 us every `pitch` ns, 2,500 times; in a second one ten tasks
/// of 4 ms depend on each other.
TraceBuilder small_tasks_then_a_chain(std::uint64_t pitch) {
  constexpr std::uint64_t rounds = 2'500, threads = 4, chain = 10;
  TraceBuilder trace{threads};
  const auto first = trace.region("parallel", RegionRole::parallel, 10),
             second = trace.region("parallel", RegionRole::parallel, 20),
             small = trace.region("task", RegionRole::task, 12),
             create_small = trace.region("create task", RegionRole::task_create, 12),
             link = trace.region("task", RegionRole::task, 22),
             create_link = trace.region("create task", RegionRole::task_create, 22),
             mark = trace.region("task dependence", RegionRole::artificial, 22),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  const auto begin = [&](std::uint64_t time, RegionRef region) {
    for (LocationRef thread = 0; thread < threads; ++thread) trace.team_begin(thread, time, region);
  };
  const auto end = [&](std::uint64_t time, RegionRef region) {
    for (LocationRef thread = 0; thread < threads; ++thread) {
      trace.leave(thread, time, barrier);
      trace.team_end(thread, time, region);
    }
  };
  begin(start, first);
  for (std::uint64_t i = 1; i <= rounds * threads; ++i) trace.create_task(0, start, create_small, i, i);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    trace.enter(thread, start, barrier);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::uint64_t done = start + (i + 1) * pitch;
      trace.run_task(thread, done - us, done, small, 0, i * threads + thread + 1);
    }
  }
  end(start + rounds * pitch, first);
  const std::uint64_t again = start + rounds * pitch + ms;
  begin(again, second);
  for (std::uint64_t i = 1; i <= chain; ++i) {
    const std::uint64_t id = rounds * threads + i;
    trace.create_task(0, again, create_link, id, id);
    if (i > 1) trace.depend(0, again, mark, id - 1, id);
  }
  for (LocationRef thread = 0; thread < threads; ++thread) trace.enter(thread, again, barrier);
  for (std::uint64_t i = 0; i < chain; ++i)
    trace.run_task(0, again + i * 4 * ms, again + (i + 1) * 4 * ms, link, 0, rounds * threads + i + 1);
  end(again + chain * 4 * ms, second);
  trace.simple(0, again + chain * 4 * ms, EventType::program_end);
  return trace;
}

}  // namespace

TEST_CASE("tasks are small where they are, and no reason for the waiting in a region of long ones") {
  const bool wait_for_small_ones = GENERATE(false, true);
  TraceBuilder trace = small_tasks_then_a_chain(wait_for_small_ones ? 10 * us : us);
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  const Json& chain = finding(report, "starvation");
  check_near(chain["lost_ns"], 3 * 40e6);
  CHECK(chain["line"] == 22);
  const std::string text = chain["text"];
  INFO(text);
  CHECK(text.find(": of task @example.c:22, 10 tasks must run one after the other (40 ms)") != std::string::npos);
  bool is_found = false;
  for (const Json& one : report["verdict"]["findings"]) is_found = is_found || one["id"] == "small-tasks";
  CHECK(is_found == wait_for_small_ones);
  if (!is_found) return;
  const Json& small = finding(report, "small-tasks");
  check_near(small["lost_ns"], 4 * 2'500 * 9e3);
  CHECK(small["line"] == 12);
  CHECK(small["text"].get<std::string>().find("10,000 tasks do 1 us of work each, most of task @example.c:12;") == 0);
}

TEST_CASE("a long task is the cause of starvation where the others are done before it, not where it runs first") {
  const bool is_last = GENERATE(false, true);
  constexpr std::uint64_t tasks = 100, threads = 4;
  TraceBuilder trace{threads};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  // The first thread creates a task of 1 ms every 10 ms for 1 s, and one of 400 ms before or behind them.
  const std::uint64_t created = start + 10 * tasks * ms, end = created + (is_last ? 400 : 0) * ms,
                      from = is_last ? created : start;
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    trace.team_begin(thread, start, parallel);
    if (thread != 0) trace.enter(thread, start, barrier);
  }
  if (!is_last) trace.create_task(0, start, create, tasks + 1, tasks + 1);
  for (std::uint64_t i = 1; i <= tasks; ++i) {
    const std::uint64_t now = start + 10 * (i - 1) * ms;
    trace.create_task(0, now, create, i, i);
    trace.run_task(2, now, now + ms, task, 0, i);
  }
  if (is_last) trace.create_task(0, created, create, tasks + 1, tasks + 1);
  trace.run_task(1, from, from + 400 * ms, task, 0, tasks + 1);
  trace.enter(0, created, barrier);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  const std::string text = finding(report_of(trace), "starvation")["text"];
  INFO(text);
  CHECK((text.find(": the last task takes 400 ms, and the others are done before it.") != std::string::npos) ==
        is_last);
  CHECK((text.find(": they are created too slowly or too few at a time, by parallel @example.c:10.") !=
         std::string::npos) == !is_last);
}
