// SPDX-License-Identifier: BSD-3-Clause
// How what-if divides the work of a region among other numbers of threads.
#include "catch.hpp"

#include <string>
#include <utility>

#include "tests/report/known_traces.hpp"
#include "tests/report/trace_builder.hpp"
#include "tracer/what_if/what_if.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

constexpr std::uint64_t begin = 1000;

/// What a trace's run would take under other conditions.
std::uint64_t predicted(TraceBuilder& trace, const report::Scenario& scenario) {
  const auto result = report::what_if(trace, {scenario});
  REQUIRE(result.predictions.size() == 1);
  CHECK(result.predictions[0].matched());
  return result.predictions[0].wall;
}

void check_near(std::uint64_t value, std::uint64_t right) {
  CHECK(value > right - right / 50);
  CHECK(value < right + right / 50);
}

}  // namespace

TEST_CASE("the parts of a static loop are in the order of the threads' numbers, whoever begins first") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel), loop = trace.region("for", RegionRole::loop);
  const auto join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const std::uint64_t parts[] = {904 * ms, 648 * ms, 392 * ms, 136 * ms}, late[] = {0, 2, 3, 1}, end = begin + 905 * ms;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, begin + late[thread], parallel);
    trace.enter(thread, begin + 4, loop);
    trace.leave(thread, begin + 4 + parts[thread], loop);
    trace.enter(thread, begin + 4 + parts[thread], join);
    trace.leave(thread, end, join);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  check_near(predicted(trace, {2, "", "", -1}), 1552 * ms);
}

TEST_CASE("no more threads share a loop or sections than there are iterations or sections") {
  constexpr std::uint64_t each = 100 * ms, end = begin + each;
  const std::string what = GENERATE(as<std::string>{}, "static", "dynamic", "sections", "sections that are reported");
  TraceBuilder trace{4};
  Definitions& d = trace.editable();
  d.parameters = {{"schedule", EventType::parameter_string}, {"iterations", EventType::parameter_uint}};
  d.strings.push_back(what);
  const bool is_loop = !what.starts_with("sections");
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             shared = is_loop ? trace.region("for", RegionRole::loop) : trace.region("sections", RegionRole::sections),
             section = trace.region("section", RegionRole::section),
             join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, begin, parallel);
    trace.enter(thread, begin, shared);
    if (is_loop) {
      trace.simple(thread, begin, EventType::parameter_string, 0, d.strings.size() - 1);
      trace.simple(thread, begin, EventType::parameter_uint, 1, 4);
    }
    if (what == "sections that are reported") {
      trace.enter(thread, begin, section);
      trace.leave(thread, end, section);
    }
    trace.leave(thread, end, shared);
    trace.enter(thread, end, join);
    trace.leave(thread, end, join);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  check_near(report::what_if(trace, {}).baseline.wall, each);
  check_near(predicted(trace, {2, "", "", -1}), 2 * each);
  check_near(predicted(trace, {8, "", "", -1}), each);
  check_near(predicted(trace, {64, "", "", -1}), each);
  check_near(predicted(trace, {8, "example.c:10", "", -1}), each);
}

TEST_CASE("the first threads have one iteration more of a static loop where not all can have as many") {
  constexpr std::uint64_t each = 10 * ms, end = begin + 5 * each;
  TraceBuilder trace{2};
  trace.editable().parameters = {{"iterations", EventType::parameter_uint}};
  const auto parallel = trace.region("parallel", RegionRole::parallel), loop = trace.region("for", RegionRole::loop);
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, begin, parallel);
    trace.enter(thread, begin, loop);
    trace.simple(thread, begin, EventType::parameter_uint, 0, 10);
    trace.leave(thread, end, loop);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  check_near(predicted(trace, {1, "", "", -1}), 10 * each);
  check_near(predicted(trace, {4, "", "", -1}), 3 * each);
  check_near(predicted(trace, {8, "", "", -1}), 2 * each);
  check_near(predicted(trace, {100, "", "", -1}), each);
}

TEST_CASE("the time of a nested region is work of the loop that it is in") {
  TraceBuilder trace{4};
  Definitions& d = trace.editable();
  const auto parallel = trace.region("parallel", RegionRole::parallel), loop = trace.region("for", RegionRole::loop),
             inner = trace.region("parallel", RegionRole::parallel, 20);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {thread}});
    d.comms.push_back({"", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  }
  const std::uint64_t each = 20 * ms, end = begin + 4 * each;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, begin, parallel);
    trace.enter(thread, begin, loop);
    for (std::uint64_t from = begin; from < end; from += each) {
      trace.simple(thread, from, EventType::thread_fork, 0, 1);
      trace.simple(thread, from, EventType::team_begin, thread + 1);
      trace.enter(thread, from, inner);
      trace.leave(thread, from + each, inner);
      trace.simple(thread, from + each, EventType::team_end, thread + 1);
      trace.simple(thread, from + each, EventType::thread_join);
    }
    trace.leave(thread, end, loop);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  check_near(predicted(trace, {1, "", "", -1}), 16 * each);
  check_near(predicted(trace, {8, "", "", -1}), 2 * each);
}

TEST_CASE("a lock is known by each construct that acquires it, and one inside of another parts the other's time") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             first = trace.region("critical", RegionRole::critical, 10),
             second = trace.region("critical", RegionRole::critical, 20),
             join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const std::uint64_t end = begin + 20 * ms;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  const auto hold = [&](LocationRef thread, std::uint64_t& now, RegionRef where, std::uint64_t lock, std::uint64_t wait,
                        std::uint64_t before, std::uint64_t inside, std::uint64_t behind) {
    trace.enter(thread, now, where);
    now += wait;
    trace.simple(thread, now, EventType::acquire_lock, 0, lock, 1);
    now += before;
    if (inside != 0) {
      trace.enter(thread, now, second);
      trace.simple(thread, now, EventType::acquire_lock, 0, lock + 1, 1);
      now += inside;
      trace.simple(thread, now, EventType::release_lock, 0, lock + 1, 1);
      trace.leave(thread, now, second);
    }
    now += behind;
    trace.simple(thread, now, EventType::release_lock, 0, lock, 1);
    trace.leave(thread, now, where);
  };
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, begin, parallel);
    std::uint64_t now = begin;
    hold(thread, now, first, 7, thread * 10 * ms, 3 * ms, 2 * ms, ms);
    hold(thread, now, second, 7, 0, 2 * ms, 0, 2 * ms);
    trace.enter(thread, now, join);
    trace.leave(thread, end, join);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  check_near(predicted(trace, {1, "", "", -1}), 20 * ms);
  check_near(predicted(trace, {0, "", "example.c:20", -1}), 10 * ms);
}

TEST_CASE("whoever executes a single waits for the tasks that it creates there") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             single = trace.region("single", RegionRole::single, 11), task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             wait = trace.region("taskwait", RegionRole::task_wait, 14),
             join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const std::uint64_t end = begin + 40 * ms;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, begin, parallel);
    trace.enter(thread, begin, single);
    if (thread == 1) continue;
    trace.leave(thread, begin, single);
    trace.enter(thread, begin, join);
  }
  for (std::uint64_t now = begin, made = 0; now < end; now += 10 * ms, made += 2) {
    for (const std::uint64_t number : {made + 1, made + 2}) trace.create_task(1, now, create, number, number);
    trace.enter(1, now, wait);
    for (const LocationRef thread : {1u, 2u}) trace.run_task(thread, now, now + 10 * ms, task, 1, made + thread);
    trace.leave(1, now + 10 * ms, wait);
  }
  trace.leave(1, end, single);
  trace.enter(1, end, join);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, end + ms, join);
    trace.team_end(thread, end + ms, parallel);
  }
  trace.simple(0, end + ms, EventType::program_end);
  for (const std::uint32_t threads : {2u, 4u, 8u}) check_near(predicted(trace, {threads, "", "", 0}), 40 * ms);
}

TEST_CASE("creating tasks takes their creator's time, and nobody else's") {
  const std::uint64_t in_call = GENERATE(0, 400);  // of each creation; the rest is estimated from the pauses between
  constexpr std::uint64_t tasks = 1000, each = 2 * us, created = begin + tasks * us, end = created + tasks * each / 4;
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, begin, parallel);
  for (std::uint64_t i = 0; i < tasks; ++i) {
    const std::uint64_t now = begin + i * us;
    trace.enter(0, now, create);
    trace.add(0, {.time = now, .type = EventType::task_create, .attributes = 0, .sub = 0, .ref = 0, .a = 0, .b = i + 1},
              {{0, i + 1}});
    trace.leave(0, now + in_call, create);
  }
  trace.enter(0, created, join);
  trace.enter(1, begin, join);
  for (std::uint64_t i = 0; i < tasks / 2; ++i)
    trace.run_task(1, begin + i * each, begin + (i + 1) * each, task, 0, i + 1);
  for (std::uint64_t i = tasks / 2; i < tasks; i += 2)
    for (const LocationRef thread : {0u, 1u}) {
      const std::uint64_t now = created + (i - tasks / 2) / 2 * each;
      trace.run_task(thread, now, now + each, task, 0, i + thread + 1);
    }
  for (const LocationRef thread : {0u, 1u}) {
    trace.leave(thread, end, join);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  const auto result = report::what_if(trace, {});
  CHECK(result.recorded == end - begin);
  check_near(result.baseline.wall, result.recorded);
}

TEST_CASE("an undeferred task is run by whoever creates it, before that goes on") {
  constexpr std::uint64_t undeferred = 0x8000004, each = 10 * ms;
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel), loop = trace.region("for", RegionRole::loop),
             single = trace.region("single", RegionRole::single, 11), task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             join = trace.region("implicit barrier", RegionRole::implicit_barrier);
  constexpr std::uint64_t end = begin + 2 * each;
  std::uint64_t on_two = 2 * each, on_eight = 2 * each;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, begin, parallel);
  const auto run_one = [&](LocationRef thread, std::uint64_t now, std::uint64_t number) {
    trace.create_task(thread, now, create, number, thread * 100 + number, undeferred);
    trace.run_task(thread, now, now + each, task, thread, number);
  };
  SECTION("in single") {
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.enter(thread, begin, single);
      for (const std::uint64_t number : {1u, 2u})
        if (thread == 1) run_one(thread, begin + (number - 1) * each, number);
      const std::uint64_t left = thread == 1 ? end : begin;
      trace.leave(thread, left, single);
      trace.enter(thread, left, join);
    }
  }
  SECTION("in a loop, which is divided again") {
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.enter(thread, begin, loop);
      for (const std::uint64_t number : {1u, 2u}) run_one(thread, begin + (number - 1) * each, number);
      trace.leave(thread, end, loop);
      trace.enter(thread, end, join);
    }
    on_two = 4 * each;
    on_eight = each;
  }
  SECTION("after those that it depends on") {
    const auto mark = trace.region("task dependence", RegionRole::artificial, 12),
               wait = trace.region("taskwait", RegionRole::task_wait, 13);
    trace.create_task(0, begin, create, 1, 1, 0x4);
    trace.create_task(0, begin + ms, create, 2, 2, undeferred);
    trace.depend(0, begin + ms, mark, 1, 2);
    trace.enter(0, begin + ms, wait);
    for (LocationRef thread = 1; thread < 4; ++thread) {
      trace.enter(thread, begin, join);
      if (thread == 1) trace.run_task(1, begin, begin + each, task, 0, 1);
    }
    trace.leave(0, begin + each, wait);
    trace.run_task(0, begin + each, end, task, 0, 2);
    trace.enter(0, end, join);
  }
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, end, join);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  check_near(report::what_if(trace, {}).baseline.wall, 2 * each);
  check_near(predicted(trace, {2, "", "", 0}), on_two);
  check_near(predicted(trace, {8, "", "", 0}), on_eight);
}

TEST_CASE("the team that libomp keeps for target nowait is no region of the program's") {
  TraceBuilder trace = helpers_team();
  const auto result = report::what_if(trace, {});
  CHECK(result.recorded == 100 * ms);
  CHECK(result.baseline.wall == result.recorded);
  CHECK(result.threads == 0);
}

TEST_CASE("a loop that hands out chunks is dealt out again by its last chunks, or by those that were recorded") {
  const auto wall_of = [](bool has_chunks, std::uint32_t threads) {
    TraceBuilder trace{2};
    trace.editable().strings.push_back("dynamic");
    trace.editable().parameters = {{"schedule", EventType::parameter_string}};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               loop = trace.region("for", RegionRole::loop, 11),
               chunk = trace.region("loop chunk", RegionRole::artificial, 11),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    // 8 chunks of 1 ms, and one of 20 ms that is begun when the others are done.
    for (LocationRef thread = 0; thread < 2; ++thread) {
      const std::uint64_t done = start + (thread == 0 ? 4 : 24) * ms;
      trace.team_begin(thread, start, parallel);
      trace.enter(thread, start, loop);
      trace.simple(thread, start, EventType::parameter_string, 0, 2);
      for (std::uint64_t i = 0; has_chunks && i < (thread == 0 ? 4u : 5u); ++i) {
        trace.enter(thread, start + i * ms, chunk);
        trace.leave(thread, i == 4 ? done : start + (i + 1) * ms, chunk);
      }
      trace.leave(thread, done, loop);
      trace.enter(thread, done, barrier);
      trace.leave(thread, start + 24 * ms, barrier);
      trace.team_end(thread, start + 24 * ms, parallel);
    }
    trace.simple(0, start + 24 * ms, EventType::program_end);
    report::Scenario more;
    more.threads = threads;
    const report::WhatIf result = report::what_if(trace, {more});
    CHECK(!result.is_off());
    return result.predictions.at(0).wall;
  };
  for (const bool has_chunks : {false, true}) {
    INFO(has_chunks);
    CHECK(wall_of(has_chunks, 4) == Approx(22e6).epsilon(0.01));  // not a fourth of 28
    CHECK(wall_of(has_chunks, 2) == Approx(24e6).epsilon(0.01));
  }
}

TEST_CASE("a replay that is more than a tenth off is no ground for a prediction") {
  report::WhatIf result;
  result.recorded = 1000;
  for (const auto& [wall, off] : {std::pair{1099u, false}, {1101u, true}, {901u, false}, {899u, true}}) {
    result.baseline.wall = wall;
    CHECK(result.is_off() == off);
  }
}

TEST_CASE("what the replay itself is off by is no gain of a prediction") {
  report::WhatIf result;
  result.recorded = 1000;
  result.baseline.wall = 940;
  report::Prediction prediction;
  prediction.wall = 940;
  CHECK(result.speedup(prediction) == Approx(1));
  prediction.wall = 470;
  CHECK(result.speedup(prediction) == Approx(2));
  prediction.wall = 0;
  CHECK(result.speedup(prediction) == 0);
}
