// SPDX-License-Identifier: BSD-3-Clause
// Tasks that are created in each other, of reports.
#include "catch.hpp"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/report/trace_builder.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

/// Ten tasks of 1 ms that one thread of `threads` creates, and runs before it goes on. `outer`: flags of a task around
/// them, 0: there is none.
report::TaskReport tasks_in_turn(unsigned threads, std::uint64_t flags, std::uint64_t outer) {
  constexpr std::uint64_t begin = ms, end = begin + 10 * ms;
  TraceBuilder trace{threads};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12),
                  join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    trace.team_begin(thread, begin, parallel);
    if (thread != 0) trace.enter(thread, begin, join);
  }
  const auto go_on_in_outer = [&](std::uint64_t now) {
    if (outer != 0) trace.simple(0, now, EventType::task_switch, 0, 0, 11);
  };
  if (outer != 0) trace.create_task(0, begin, create, 11, 11, outer);
  go_on_in_outer(begin);
  if (outer != 0) trace.enter(0, begin, task);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    const std::uint64_t now = begin + (i - 1) * ms;
    trace.create_task(0, now, create, i, i, flags);
    trace.run_task(0, now, now + ms, task, 0, i);
    go_on_in_outer(now + ms);
  }
  if (outer != 0) {
    trace.leave(0, end, task);
    trace.simple(0, end, EventType::task_complete, 0, 0, 11);
    trace.simple(0, end, EventType::task_switch, 0, 0, 0);
  }
  trace.enter(0, end, join);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    trace.leave(thread, end, join);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  return report::analyze(trace).tasks;
}

/// Each task creates the next before it ends; of `each` ns. Around all of them a taskgroup, and one task of its own
/// after that. `nested`: each ends only when the next has ended, in a taskwait.
Json chain_of(std::uint64_t tasks, std::uint64_t each, bool nested) {
  TraceBuilder trace{1};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  group = trace.region("taskgroup", RegionRole::task_wait, 11),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12),
                  wait = trace.region("taskwait", RegionRole::task_wait, 13);
  std::uint64_t now = ms;
  trace.simple(0, now, EventType::program_begin, 0, 1);
  trace.team_begin(0, now, parallel);
  trace.enter(0, now, group);
  trace.create_task(0, now, create, 1, 1);
  for (std::uint64_t i = 1; i <= tasks; ++i) {
    trace.simple(0, now, EventType::task_switch, 0, 0, i);
    trace.enter(0, now, task);
    now += each;
    if (i < tasks) trace.create_task(0, now, create, i + 1, i + 1);
    if (nested && i < tasks) {
      trace.enter(0, now, wait);
      continue;
    }
    trace.leave(0, now, task);
    trace.simple(0, now, EventType::task_complete, 0, 0, i);
  }
  for (std::uint64_t i = tasks; nested && --i != 0;) {
    trace.simple(0, now, EventType::task_switch, 0, 0, i);
    trace.leave(0, now, wait);
    trace.leave(0, now, task);
    trace.simple(0, now, EventType::task_complete, 0, 0, i);
  }
  trace.simple(0, now, EventType::task_switch, 0, 0, 0);
  trace.leave(0, now, group);
  trace.create_task(0, now, create, tasks + 1, tasks + 1);
  trace.run_task(0, now, now + 7 * each, task, 0, tasks + 1);
  trace.team_end(0, now + 7 * each, parallel);
  trace.simple(0, now + 7 * each, EventType::program_end);
  return Json::parse(report::to_json(report::analyze(trace)));
}

}  // namespace

TEST_CASE("tasks of which each creates the next are followed, as many as there are") {
  constexpr std::uint64_t tasks = 300'000, each = 10;
  for (const bool nested : {false, true}) {
    INFO((nested ? "each waits for the next" : "each ends before the next"));
    const Json report = chain_of(tasks, each, nested);
    CHECK(report["tasks"]["completed"] == tasks + 1);
    CHECK(report["tasks"]["graph"]["critical_path_ns"] == (tasks + 7) * each);
    CHECK(report["tasks"]["graph"]["critical_path_tasks"] == tasks + 1);
  }
}

TEST_CASE("who creates an undeferred task goes on only after it") {
  constexpr std::uint64_t plain = 0x4, undeferred = 0x8000004, final_task = 0x20000004;
  for (const unsigned threads : {2u, 4u}) {
    CHECK(tasks_in_turn(threads, plain, 0).critical_path == ms);
    CHECK(tasks_in_turn(threads, plain, plain).critical_path == ms);
    CHECK(tasks_in_turn(threads, final_task, 0).critical_path == ms);
    CHECK(tasks_in_turn(threads, undeferred, 0).critical_path == 10 * ms);
    CHECK(tasks_in_turn(threads, undeferred, 0).critical_path_tasks == 10);
    CHECK(tasks_in_turn(threads, undeferred, plain).critical_path == 10 * ms);
    CHECK(tasks_in_turn(threads, undeferred, undeferred).critical_path_tasks == 11);
    CHECK(tasks_in_turn(threads, plain, final_task).critical_path == 10 * ms);
  }
  // Alone, libomp calls every task undeferred.
  CHECK(tasks_in_turn(1, undeferred, 0).critical_path == ms);
  CHECK(tasks_in_turn(1, undeferred, undeferred).critical_path == ms);
}

// Regions of two runtimes on one thread: its region inside the other's.
TEST_CASE("a task belongs to the team that its event names, which may be around the thread's innermost") {
  TraceBuilder trace{1};
  const RegionRef outer = trace.region("parallel", RegionRole::parallel),
                  inner = trace.region("parallel", RegionRole::parallel, 20),
                  barrier = trace.region("barrier", RegionRole::barrier, 21),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12);
  trace.editable().comms.push_back({"Thread team 1", 1, 0});
  trace.simple(0, ms, EventType::program_begin, 0, 1);
  trace.team_begin(0, ms, outer);
  trace.team_begin(0, 2 * ms, inner, 1);
  for (unsigned i = 0; i < 100; ++i) {
    trace.enter(0, 2 * ms, barrier);
    trace.leave(0, 2 * ms, barrier);
  }
  trace.create_task(0, 3 * ms, create, 1, 1);
  trace.run_task(0, 3 * ms, 4 * ms, task, 0, 1);
  trace.create_task(0, 4 * ms, create, 2, 2);
  trace.team_end(0, 5 * ms, inner, 1);
  trace.run_task(0, 6 * ms, 8 * ms, task, 0, 2);
  trace.team_end(0, 9 * ms, outer);
  trace.simple(0, 9 * ms, EventType::program_end);
  const Json report = Json::parse(report::to_json(report::analyze(trace)));
  CHECK(report["tasks"]["completed"] == 2);
  CHECK(report["tasks"]["total_ns"] == 3 * ms);
  CHECK(report["tasks"]["longest_ns"] == 2 * ms);
}

TEST_CASE("a task that goes on after its team has ended, in a damaged archive, still has its team") {
  struct Watch final : report::Observer {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> left;  // time of a task's Leave, number of its team
    void leave(LocationRef, report::Task& task, const report::Frame&, std::uint64_t time) override {
      if (task.is_explicit) left.emplace_back(time, task.team == nullptr ? 0 : task.team->number);
    }
  };
  TraceBuilder trace{1};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12);
  trace.simple(0, 1, EventType::program_begin, 0, 1);
  trace.team_begin(0, 10, parallel);
  trace.create_task(0, 20, create, 1, 1);
  trace.simple(0, 30, EventType::task_switch, 0, 0, 1);
  trace.enter(0, 30, task);
  trace.simple(0, 40, EventType::task_switch, 0, 0, 0);
  trace.team_end(0, 50, parallel);
  trace.team_begin(0, 60, parallel);  // may have the memory of the first
  trace.simple(0, 70, EventType::task_switch, 0, 0, 1);
  trace.leave(0, 80, task);
  trace.simple(0, 80, EventType::task_complete, 0, 0, 1);
  trace.team_end(0, 90, parallel);
  trace.simple(0, 99, EventType::program_end);

  report::Replay replay{trace.definitions()};
  Watch watch;
  replay.add(watch);
  trace.read(replay);
  replay.finish();
  CHECK(watch.left == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{80, 1}});
  CHECK_NOTHROW(report::analyze(trace));
}

TEST_CASE("an arrow to a task begins at the call that creates it, whatever others create meanwhile") {
  TraceBuilder trace{2};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, ms, parallel);
  for (const LocationRef thread : {0u, 1u}) trace.enter(thread, (2 + thread) * ms, create);
  for (const LocationRef thread : {0u, 1u}) {
    trace.add(thread,
              {.time = (4 + thread) * ms,
               .type = EventType::task_create,
               .attributes = 0,
               .sub = 0,
               .ref = 0,
               .a = thread,
               .b = 1},
              {{0, 1 + thread}});
    trace.leave(thread, 6 * ms, create);
    trace.run_task(thread, 7 * ms, 8 * ms, task, thread, 1);
    trace.team_end(thread, 9 * ms, parallel);
  }
  struct Flows final : TimelineVisitor {
    void open(const Slice& slice) override {
      if (slice.flow_out != 0) from[slice.flow_out] = slice.location;
      if (slice.flow_in != 0) to[slice.flow_in] = slice.location;
    }
    std::map<std::uint64_t, LocationRef> from, to;
  } flows;
  report::Replay replay{trace.definitions()};
  report::Timeline timeline{trace.definitions(), flows};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  CHECK(flows.from.size() == 2);
  CHECK(flows.from == flows.to);
}

TEST_CASE("the flow to a task ends once, also where the task goes on elsewhere and enters its region again") {
  TraceBuilder trace{2};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("untied task", RegionRole::task_untied, 12);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, ms, parallel);
  trace.create_task(0, 2 * ms, create, 1, 1);
  for (std::uint64_t part = 0; part < 3; ++part) {
    const auto thread = static_cast<LocationRef>(part % 2);
    const std::uint64_t now = (3 + 2 * part) * ms;
    trace.simple(thread, now, EventType::task_switch, 0, 0, 1);
    trace.enter(thread, now, task);
    trace.leave(thread, now + ms, task);
    trace.simple(thread, now + ms, EventType::task_switch, 0, thread, 0);
  }
  trace.simple(0, 9 * ms, EventType::task_complete, 0, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, 9 * ms, parallel);
  struct Flows final : TimelineVisitor {
    void open(const Slice& slice) override {
      starts += slice.flow_out != 0;
      if (slice.flow_in != 0) ends.push_back(slice.begin);
    }
    int starts = 0;
    std::vector<std::uint64_t> ends;
  } flows;
  report::Replay replay{trace.definitions()};
  report::Timeline timeline{trace.definitions(), flows};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  CHECK(flows.starts == 1);
  CHECK(flows.ends == std::vector<std::uint64_t>{3 * ms});
}

TEST_CASE("what a task waits for those that it creates makes it no longer") {
  TraceBuilder trace{2};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  create = trace.region("task create", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12),
                  wait = trace.region("taskwait", RegionRole::task_wait, 13);
  constexpr std::uint64_t begin = 1 * ms;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, begin, parallel);
  trace.create_task(0, begin, create, 1, 1);
  trace.simple(0, begin, EventType::task_switch, 0, 0, 1);
  trace.enter(0, begin, task);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::uint64_t now = begin + i * 11 * ms;
    trace.create_task(0, now + 1 * ms, create, i + 2, i + 2);
    trace.enter(0, now + 1 * ms, wait);
    trace.run_task(1, now + 1 * ms, now + 11 * ms, task, 0, i + 2);
    trace.leave(0, now + 11 * ms, wait);
  }
  const std::uint64_t end = begin + 55 * ms;
  trace.leave(0, end, task);
  trace.simple(0, end, EventType::task_complete, 0, 0, 1);
  trace.simple(0, end, EventType::task_switch, 0, 0, 0);
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, end, parallel);
  trace.simple(0, end, EventType::program_end);
  const report::Report data = report::analyze(trace);
  const Json report = Json::parse(report::to_json(data));
  CHECK(report["tasks"]["total_ns"] == (55 + 50) * ms);
  CHECK(report["tasks"]["own_mean_ns"] == (5 + 50) * ms / 6);
  const std::string text = report::to_text(data, {.rows = 10, .colour = false, .width = 120});
  CHECK(text.find("6 created, mean 9.167 ms, shortest 5 ms, longest 10 ms\n") != std::string::npos);
  CHECK(report["tasks"]["longest_ns"] == 10 * ms);
  CHECK(report["tasks"]["shortest_ns"] == 5 * ms);
}

TEST_CASE("tasks that a cancellation discards are counted for themselves, at the place of their creation") {
  constexpr std::uint64_t tasks = 200, ran = 2;
  TraceBuilder trace{1};
  trace.editable().attributes.push_back({"CANCEL_FLAGS", "", ValueType::uint64});
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  create = trace.region("create task", RegionRole::task_create, 12),
                  task = trace.region("task", RegionRole::task, 12),
                  group = trace.region("taskgroup", RegionRole::task_wait, 11),
                  cancel = trace.region("cancel", RegionRole::artificial, 13);
  trace.simple(0, ms, EventType::program_begin, 0, 1);
  trace.team_begin(0, ms, parallel);
  trace.enter(0, ms, group);
  for (std::uint64_t i = 1; i <= tasks; ++i) trace.create_task(0, ms, create, i, i);
  for (std::uint64_t i = 1; i <= ran; ++i) trace.run_task(0, i * ms, (i + 1) * ms, task, 0, i);
  for (std::uint64_t i = ran + 1; i <= tasks; ++i) {
    const std::uint64_t now = 4 * ms + i * 10 * us;
    trace.enter(0, now, cancel, {{0, i}, {5, 0x48}});
    trace.leave(0, now, cancel);
    trace.simple(0, now, EventType::task_switch, 0, 0, i);
    trace.simple(0, now, EventType::task_complete, 0, 0, i);
    trace.simple(0, now, EventType::task_switch, 0, 0, 0);
  }
  trace.leave(0, 7 * ms, group);
  trace.team_end(0, 7 * ms, parallel);
  trace.simple(0, 7 * ms, EventType::program_end);
  const report::Report data = report::analyze(trace);
  const Json report = Json::parse(report::to_json(data)), found = report["tasks"];
  CHECK(found["created"] == tasks);
  CHECK(found["completed"] == ran);
  CHECK(found["discarded"] == tasks - ran);
  CHECK(found["mean_ns"] == ms);
  CHECK(found["shortest_ns"] == ms);
  CHECK(found["start_delay_ns"] == ms / 2);
  REQUIRE(found["regions"].size() == 2);
  CHECK(found["regions"][0]["count"] == ran);
  CHECK_FALSE(found["regions"][0].contains("discarded"));
  CHECK(found["regions"][1]["name"] == "!$omp create task @example.c:12");
  CHECK(found["regions"][1]["count"] == 0);
  CHECK(found["regions"][1]["discarded"] == tasks - ran);
  CHECK(report["threads"][0]["tasks"] == ran);
  for (const Json& finding : report["verdict"]["findings"]) CHECK(finding["id"] != "small-tasks");
  const std::string text = report::to_text(data, {.rows = 10, .colour = false, .width = 120});
  CHECK(text.find("198 discarded by a cancellation") != std::string::npos);
}

TEST_CASE("values of a metric that is not defined are in no timeline") {
  TraceBuilder trace{1};
  trace.simple(0, ms, EventType::metric_uint, 0xfffffff0u, 1);
  struct Counters final : TimelineVisitor {
    void counter(const Counter&) override { ++count; }
    int count = 0;
  } counters;
  report::Replay replay{trace.definitions()};
  report::Timeline timeline{trace.definitions(), counters};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  CHECK(counters.count == 0);
}
