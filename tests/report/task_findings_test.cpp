// SPDX-License-Identifier: BSD-3-Clause
// Findings about tasks where a run has several kinds of them: each is told by its own region's.
#include "catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
  // Both runtimes ignore the clause where nothing else is set.
  CHECK(chain["advice"].get<std::string>().find("priority() with OMP_MAX_TASK_PRIORITY set") != std::string::npos);
  const bool is_found = has_finding(report, "small-tasks");
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

namespace {

/// A parallel region of four threads, and its tasks.
struct Tasks {
  RegionRef parallel, create, task;
};
Tasks region_with_tasks(TraceBuilder& trace, unsigned line) {
  return {trace.region("parallel", RegionRole::parallel, line),
          trace.region("create task", RegionRole::task_create, line + 2),
          trace.region("task", RegionRole::task, line + 2)};
}

/// Executes it: the first thread creates tasks of these lengths, and all take them in their order. When that is over.
std::uint64_t execute(TraceBuilder& trace, const Tasks& region, RegionRef barrier, std::uint64_t begin,
                      const std::vector<std::uint64_t>& lengths, std::uint64_t& number) {
  constexpr LocationRef threads = 4;
  for (LocationRef thread = 0; thread < threads; ++thread) trace.team_begin(thread, begin, region.parallel);
  const std::uint64_t first = number + 1;
  for (std::size_t i = 0; i < lengths.size(); ++i) trace.create_task(0, begin, region.create, first + i, first + i);
  number += lengths.size();
  for (LocationRef thread = 0; thread < threads; ++thread) trace.enter(thread, begin, barrier);
  std::array<std::uint64_t, threads> free{};
  free.fill(begin);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto next = std::min_element(free.begin(), free.end());
    trace.run_task(static_cast<LocationRef>(next - free.begin()), *next, *next + lengths[i], region.task, 0, first + i);
    *next += lengths[i];
  }
  const std::uint64_t end = *std::max_element(free.begin(), free.end()) + us;
  for (LocationRef thread = 0; thread < threads; ++thread) {
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, region.parallel);
  }
  return end + 10 * us;
}

/// Of the finding about starvation at that line, which there must be.
std::string starvation_at(const Json& report, unsigned line) {
  for (const Json& one : report["verdict"]["findings"])
    if (one["id"] == "starvation" && one["line"] == line) return one["text"];
  FAIL("no starvation at line " << line << " in " << report["verdict"].dump(2));
  return {};
}

}  // namespace

TEST_CASE("the cause of starvation is what one execution of a region has, however often the region runs") {
  const bool is_last_long = GENERATE(false, true);
  TraceBuilder trace{4};
  const Tasks region = region_with_tasks(trace, 10);
  const auto barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  std::vector<std::uint64_t> lengths(is_last_long ? 20u : 2u, is_last_long ? 100 * us : ms);
  if (is_last_long) lengths.push_back(5 * ms);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start, number = 0;
  for (int i = 0; i < 100; ++i) now = execute(trace, region, barrier, now, lengths, number);
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  check_near(finding(report, "starvation")["lost_ns"], is_last_long ? 100 * 3 * 5e6 : 100 * 2 * 1e6);
  CHECK(has(starvation_at(report, 12),
            is_last_long ? ": the last task of an execution takes up to 5 ms, and the others are done before it."
                         : ": there are only 2 tasks for 4 threads, a mean of 100 executions."));
}

TEST_CASE("a region's tasks are too few for its own team, not for all threads of the run") {
  TraceBuilder trace{8};
  Definitions& d = trace.editable();
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {0, 1}});
  d.comms.push_back({"Thread team 1", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  const Tasks region = region_with_tasks(trace, 10);
  const auto barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const std::uint64_t end = start + 100 * ms;
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, region.parallel, 1);
  trace.enter(1, start, barrier);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    const std::uint64_t now = start + (10 * i - 1) * ms;
    trace.create_task(0, now, region.create, i, i);
    trace.run_task(1, now, now + ms, region.task, 0, i);
  }
  trace.enter(0, end, barrier);
  for (const LocationRef thread : {0u, 1u}) {
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, region.parallel, 1);
  }
  trace.simple(0, end, EventType::program_end);
  CHECK(has(starvation_at(report_of(trace), 12), ": they are created too slowly or too few at a time, by parallel"));
}

TEST_CASE("each region in which threads find no task is a finding of its own, with its own cause") {
  TraceBuilder trace{4};
  const Tasks pairs = region_with_tasks(trace, 10), ends_late = region_with_tasks(trace, 20),
              chain = region_with_tasks(trace, 30);
  const auto barrier = trace.region("implicit barrier", RegionRole::implicit_barrier),
             wait = trace.region("taskwait", RegionRole::task_wait, 14),
             mark = trace.region("task dependence", RegionRole::artificial, 32);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start, number = 0;
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, now, pairs.parallel);
    if (thread != 0) trace.enter(thread, now, barrier);
  }
  for (int i = 0; i < 10; ++i, now += 5 * ms, number += 2) {
    for (const std::uint64_t one : {number + 1, number + 2}) trace.create_task(0, now, pairs.create, one, one);
    trace.enter(0, now, wait);
    for (const LocationRef thread : {0u, 1u})
      trace.run_task(thread, now, now + 5 * ms, pairs.task, 0, number + 1 + thread);
    trace.leave(0, now + 5 * ms, wait);
  }
  trace.enter(0, now, barrier);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, now + us, barrier);
    trace.team_end(thread, now + us, pairs.parallel);
  }
  std::vector<std::uint64_t> lengths(20, ms);
  lengths.push_back(50 * ms);
  now = execute(trace, ends_late, barrier, now + 10 * us, lengths, number);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, now, chain.parallel);
  for (std::uint64_t i = 1; i <= 10; ++i) {
    trace.create_task(0, now, chain.create, number + i, number + i);
    if (i > 1) trace.depend(0, now, mark, number + i - 1, number + i);
  }
  for (LocationRef thread = 0; thread < 4; ++thread) trace.enter(thread, now, barrier);
  for (std::uint64_t i = 1; i <= 10; ++i, now += 4 * ms)
    trace.run_task(0, now, now + 4 * ms, chain.task, 0, number + i);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, now, barrier);
    trace.team_end(thread, now, chain.parallel);
  }
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  CHECK(has(starvation_at(report, 14), "for 100 ms: taskwait @example.c:14 comes after each 2 tasks, 10 times"));
  CHECK(has(starvation_at(report, 22), "for 150 ms: the last task takes 50 ms, and the others are done before it."));
  CHECK(has(starvation_at(report, 32), "for 120 ms: of task @example.c:32, 10 tasks must run one after the other"));
}

TEST_CASE("threads that wait for tasks of their own at the same time have as many at a time as all of them create") {
  const auto run = [](unsigned creators, unsigned threads, unsigned rounds) {
    TraceBuilder trace{threads};
    const Tasks own = region_with_tasks(trace, 10);
    const auto barrier = trace.region("implicit barrier", RegionRole::implicit_barrier),
               wait = trace.region("taskwait", RegionRole::task_wait, 14);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < threads; ++thread) {
      trace.team_begin(thread, start, own.parallel);
      if (thread >= creators) trace.enter(thread, start, barrier);
    }
    std::vector<std::uint64_t> now(threads, start);  // the first thread's tasks take 50 ms in all, the others' 40 ms
    std::uint64_t number = 0;
    for (unsigned i = 0; i < rounds; ++i)
      for (LocationRef thread = 0; thread < creators; ++thread) {
        const std::uint64_t begin = now[thread];
        now[thread] += (thread == 0 ? 50 : 40) * ms / rounds;
        ++number;
        trace.create_task(thread, begin, own.create, number, number);
        trace.enter(thread, begin, wait);
        trace.run_task(thread, begin, now[thread], own.task, thread, number);
        trace.leave(thread, now[thread], wait);
      }
    for (LocationRef thread = 0; thread < creators; ++thread) trace.enter(thread, now[thread], barrier);
    for (LocationRef thread = 0; thread < threads; ++thread) {
      trace.leave(thread, now[0] + us, barrier);
      trace.team_end(thread, now[0] + us, own.parallel);
    }
    trace.simple(0, now[0] + us, EventType::program_end);
    return report_of(trace);
  };
  CHECK(has(starvation_at(run(8, 8, 1), 12), "there are only 8 tasks for 8 threads."));
  CHECK(has(starvation_at(run(2, 4, 10), 14),
            "taskwait @example.c:14 comes after each task, 20 times, in 2 threads at the same time, and there are no "
            "more than 2 to run at the same time, for 4 threads."));
  const Json report = run(4, 4, 10);
  for (const Json& one : report["verdict"]["findings"]) CHECK_FALSE(has(one["text"], "comes after each"));
}
