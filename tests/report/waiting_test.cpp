// SPDX-License-Identifier: BSD-3-Clause
// What is counted and added up of waiting: threads that come to a team late, acquisitions, barriers that are met often.
#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"
#include "tracer/report/measures/pending_events.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;

}  // namespace

TEST_CASE("a region's longest path is no shorter than what one of its threads works, also if its master begins late") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start + 10 * ms, EventType::thread_fork, 0, 2);
  trace.team_begin(1, start + 10 * ms, parallel);  // as libgomp's workers, which are there already
  trace.team_begin(0, start + 14 * ms, parallel);
  trace.team_end(0, start + 15 * ms, parallel);
  trace.team_end(1, start + 30 * ms, parallel);
  trace.simple(0, start + 30 * ms, EventType::thread_join);
  trace.simple(0, start + 31 * ms, EventType::program_end);
  const Json region = report_of(trace)["parallel_regions"][0];
  CHECK(region["critical_path_ns"] == 20 * ms);
  CHECK(region["parallelism"].get<double>() <= 2);
}

TEST_CASE("acquisitions of a lock that nobody had are no waiting for it") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             holding = trace.region("critical", RegionRole::critical, 7),
             waiting = trace.region("critical", RegionRole::critical, 9);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  const auto take = [&](LocationRef thread, RegionRef region, std::uint64_t from, std::uint64_t had, std::uint64_t to) {
    trace.enter(thread, from, region);
    trace.simple(thread, had, EventType::acquire_lock, 0, 1, 1);
    trace.simple(thread, to, EventType::release_lock, 0, 1, 1);
    trace.leave(thread, to, region);
  };
  take(0, holding, start + 1 * ms, start + 1 * ms, start + 50 * ms);
  take(1, waiting, start + 2 * ms, start + 50 * ms + 1, start + 50 * ms + 2);  // the only one that waits
  for (std::uint64_t n = 0; n < 200; ++n) {
    const std::uint64_t from = start + (51 + n / 10) * ms + n % 10 * 1000;
    take(1, waiting, from, from + 100, from + 200);
  }
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, start + 80 * ms, parallel);
  trace.simple(0, start + 80 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(finding(report, "contention")["text"].get<std::string>().find(", once, the longest 48 ms") !=
        std::string::npos);
}

TEST_CASE("a barrier and the waiting in it are one barrier") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("barrier", RegionRole::barrier, 7),
             barrier_wait = trace.region("barrier wait", RegionRole::barrier, 7),
             other = trace.region("barrier", RegionRole::barrier, 9),
             other_wait = trace.region("barrier wait", RegionRole::barrier, 9);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  std::uint64_t now = start;
  for (int n = 0; n < 40'000; ++n) {
    now += 2 * us;
    for (const LocationRef thread : {0u, 1u}) {
      const std::uint64_t come = now + thread * us;
      trace.enter(thread, come, n % 2 ? barrier : other);
      trace.enter(thread, come + 100, n % 2 ? barrier_wait : other_wait);
      trace.leave(thread, now + 4 * us, n % 2 ? barrier_wait : other_wait);
      trace.leave(thread, now + 4 * us + 100, n % 2 ? barrier : other);
    }
    now += 5 * us;
  }
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, now, parallel);
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  const std::string text = finding(report, "frequent-barriers")["text"];
  INFO(text);
  CHECK(text.find("and 1 other barrier of") != std::string::npos);
  CHECK(text.find("barrier wait") == std::string::npos);
}

TEST_CASE(
    "waiting for a thread that has more to do between all of many barriers is its load's, and not the barriers'") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("barrier", RegionRole::barrier, 7);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  std::uint64_t now = start;
  for (int n = 0; n < 2000; ++n, now += 53 * us)
    for (const LocationRef thread : {0u, 1u}) {
      trace.enter(thread, now + (thread == 0 ? 10 : 50) * us, barrier);
      trace.leave(thread, now + 53 * us, barrier);
    }
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, now, parallel);
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  const Json &uneven = finding(report, "imbalance"), &frequent = finding(report, "frequent-barriers");
  check_near(uneven["lost_ns"], 2000 * 40e3);
  CHECK(uneven["text"].get<std::string>().find("The threads of parallel @example.c:10 have unequal work") == 0);
  check_near(frequent["lost_ns"], 2000 * 2 * 3e3);
  CHECK(frequent["text"].get<std::string>().find("leaving takes 12 ms") != std::string::npos);
}

TEST_CASE("a barrier of CUDA is a wait for the device, and none of the team's") {
  TraceBuilder trace{2, 1};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("barrier", RegionRole::barrier, 7),
             wait = trace.region("DEVICE SYNCHRONIZE", RegionRole::implicit_barrier, 0, Paradigm::cuda),
             kernel = trace.region("saxpy", RegionRole::kernel, 0, Paradigm::cuda);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  trace.enter(0, start, wait);
  trace.leave(0, start + 20 * ms, wait);
  const auto run = [&](std::uint64_t from, std::uint64_t to) {
    trace.enter(2, start + from * ms, kernel);
    trace.leave(2, start + to * ms, kernel);
  };
  run(0, 5);
  run(15, 18);
  const auto meet = [&](std::uint64_t first, std::uint64_t second, std::uint64_t end) {
    trace.enter(0, start + first * ms, barrier);
    trace.enter(1, start + second * ms, barrier);
    for (const LocationRef thread : {0u, 1u}) trace.leave(thread, start + end * ms, barrier);
  };
  meet(30, 40, 41);
  meet(80, 50, 81);
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, start + 90 * ms, parallel);
  trace.simple(0, start + 90 * ms, EventType::program_end);
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  CHECK(report["account"]["time"]["device_ns"] == 20 * ms);
  CHECK(report["account"]["time"]["imbalance_ns"] == (10 + 30) * ms);
  CHECK(report["devices"][0]["time"]["host_waits_ns"] == 10 * ms);
}

TEST_CASE("loops that the program names itself and its allocations are work of the loop of OpenMP around them") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel), loop = trace.region("for", RegionRole::loop, 7),
             own = trace.region("time steps", RegionRole::loop, 0, Paradigm::user),
             allocation = trace.region("malloc", RegionRole::allocate, 0, Paradigm{22}),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 7);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) {
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, loop);
  }
  trace.enter(0, start + 1 * ms, own);
  trace.enter(0, start + 2 * ms, allocation);
  trace.leave(0, start + 90 * ms, allocation);
  trace.leave(0, start + 99 * ms, own);
  for (const LocationRef thread : {0u, 1u}) {
    const std::uint64_t come = start + (thread == 0 ? 100 : 10) * ms;
    trace.leave(thread, come, loop);
    trace.enter(thread, come, barrier);
    trace.leave(thread, start + 101 * ms, barrier);
    trace.team_end(thread, start + 101 * ms, parallel);
  }
  trace.simple(0, start + 101 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(report["account"]["time"]["device_ns"] == 0);
  CHECK(finding(report, "imbalance")["text"].get<std::string>().find("The iterations of for @example.c:7 are") == 0);
}

TEST_CASE("what a team waits is won among its threads, whatever the threads beside it do") {
  TraceBuilder trace{4};
  Definitions& d = trace.editable();
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {0, 1}});
  d.comms.push_back({"Thread team 1", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  const auto all = trace.region("parallel", RegionRole::parallel),
             two = trace.region("parallel", RegionRole::parallel, 20),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 21);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, start, all);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_end(thread, start + 10 * ms, all);
  const std::uint64_t begin = start + 10 * ms, end = begin + 80 * ms;
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, begin, two, 1);
    trace.enter(thread, thread == 0 ? end : begin + 20 * ms, barrier);
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, two, 1);
  }
  trace.simple(0, end, EventType::program_end);
  const Json report = report_of(trace);
  check_near(finding(report, "imbalance")["lost_ns"], 60e6);
  check_near(finding(report, "imbalance")["win_ns"], 30e6);
  check_near(finding(report, "unused-threads")["win_ns"], 2 * 80e6 / 4);
}

TEST_CASE("what teams that run at the same time wait is won among the threads of all") {
  TraceBuilder trace{4};
  Definitions& d = trace.editable();
  d.groups[1].members = {0, 1};
  for (const std::uint32_t first : {0u, 1u}) {
    d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {first, first + 2}});
    d.comms.push_back({"Thread team", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  }
  const auto outer = trace.region("parallel", RegionRole::parallel),
             inner = trace.region("parallel", RegionRole::parallel, 12),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 13);
  const std::uint64_t begin = start + ms, end = begin + 80 * ms;
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, outer);
  for (const LocationRef thread : {0u, 1u, 2u, 3u}) {
    if (thread == 1) trace.simple(1, begin, EventType::thread_fork, 0, 2);
    trace.team_begin(thread, begin, inner, 1 + thread % 2);
    trace.enter(thread, thread < 2 ? end : begin + 20 * ms, barrier);
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, inner, 1 + thread % 2);
    if (thread == 1) trace.simple(1, end, EventType::thread_join);
  }
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, end + ms, outer);
  trace.simple(0, end + ms, EventType::program_end);
  const Json found = finding(report_of(trace), "imbalance");
  check_near(found["lost_ns"], 120e6);
  check_near(found["win_ns"], 30e6);
}

TEST_CASE("who waits for a thread that still creates tasks starves, and who waits for what it does then does not") {
  const bool creates_late = GENERATE(false, true);
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const std::uint64_t end = start + 100 * ms;
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, start, parallel);
  // The first thread comes 90 ms after the others, which run its tasks meanwhile, 1 ms each.
  trace.create_task(0, start, create, 1, 1);
  if (creates_late) trace.create_task(0, start + 40 * ms, create, 2, 2);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.enter(thread, thread == 0 ? end : start + 10 * ms, barrier);
  trace.run_task(1, start + 10 * ms, start + 11 * ms, task, 0, 1);
  if (creates_late) trace.run_task(1, start + 40 * ms, start + 41 * ms, task, 0, 2);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  const Json report = report_of(trace), times = report["account"]["time"];
  check_adds_up(report["account"]);
  // Two threads while a task runs; all three until the last is created.
  CHECK(times["starvation_ns"] == (creates_late ? 2 * 31 + 29 : 2 * 1) * ms);
  CHECK(times["imbalance_ns"] == 3 * (creates_late ? 59 : 89) * ms);
  CHECK(report["account"]["by_thread"][1]["time"]["starvation_ns"] == (creates_late ? 29 : 0) * ms);
  CHECK(finding(report, "imbalance")["name"] == "!$omp parallel @example.c:10");
  for (const Json& one : report["verdict"]["findings"]) CHECK((creates_late || one["id"] != "starvation"));
}

namespace {

/// Two threads, and one beside them that fulfils the events of four detached tasks, each 29 ms after the task's end.
/// `busy`: meanwhile the second thread does not wait at the barrier, but works.
TraceBuilder detached_tasks(bool busy) {
  TraceBuilder trace{3};
  trace.editable().groups[1].members.pop_back();
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             wait = trace.region("taskwait", RegionRole::task_wait, 14),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier),
             fulfill = trace.region("fulfill event", RegionRole::artificial);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  const std::uint64_t end = start + 120 * ms;
  trace.enter(1, busy ? end : start, barrier);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    const std::uint64_t now = start + (i - 1) * 30 * ms;
    trace.create_task(0, now, create, i, i);
    trace.enter(0, now, wait);
    trace.run_task(0, now, now + ms, task, 0, i);
    trace.enter(2, now + 30 * ms - us, fulfill, {{0, i}});
    trace.leave(2, now + 30 * ms - us, fulfill);
    trace.leave(0, now + 30 * ms, wait);
  }
  trace.enter(0, end, barrier);
  for (const LocationRef thread : {0u, 1u}) {
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  return trace;
}

}  // namespace

TEST_CASE("that threads wait for events of detached tasks is no lack of tasks") {
  const bool busy = GENERATE(false, true);
  TraceBuilder trace = detached_tasks(busy);
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  check_near(report["account"]["time"]["detached_ns"], (busy ? 1 : 2) * 4 * 29e6);
  CHECK(report["account"]["time"]["starvation_ns"] <= 5 * ms);
  CHECK(report["account"]["time"]["imbalance_ns"] <= us);  // from the last event to the barrier
  const Json& found = finding(report, "detached-tasks");
  CHECK(found["line"] == 12);
  check_near(found["win_ns"], (busy ? 1 : 2) * 4 * 29e6 / 2);  // of the team of two, not with the thread beside it
  CHECK(found["text"].get<std::string>().find("most of it for task @example.c:12") != std::string::npos);
  for (const Json& one : report["verdict"]["findings"]) CHECK(one["id"] != "starvation");
}

TEST_CASE("times in which events of several tasks are pending are counted once") {
  report::PendingEvents pending;
  pending.add(20, 30, 1);
  pending.add(50, 60, 2);
  pending.add(40, 70, 3);
  pending.add(70, 80, 4);
  CHECK(pending.within(0, 100).ns == 50);
  CHECK(pending.within(0, 100).region == 4);
  CHECK(pending.within(25, 45).ns == 10);
  CHECK(pending.within(30, 40).ns == 0);
  CHECK(pending.within(80, 90).ns == 0);
}

TEST_CASE("what the code between several barriers of a region keeps threads for is told of each of them") {
  TraceBuilder trace{4};  // as libgomp, which reports no loop with a static schedule
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             first = trace.region("barrier wait", RegionRole::barrier, 20),
             second = trace.region("barrier wait", RegionRole::barrier, 22),
             join = trace.region("implicit barrier wait", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, start, parallel);
  std::uint64_t now = start;
  const auto meet = [&](RegionRef barrier, std::uint64_t least, std::uint64_t most, LocationRef slowest) {
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.enter(thread, now + (thread == slowest ? most : least), barrier);
      trace.leave(thread, now + most, barrier);
    }
    now += most;
  };
  for (int round = 0; round < 5; ++round) {
    meet(first, 20 * ms, 100 * ms, 0);
    meet(second, 20 * ms, 90 * ms, 1);
  }
  meet(join, 20 * us, 40 * us, 2);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_end(thread, now, parallel);
  trace.simple(0, now, EventType::program_end);
  const std::string text = finding(report_of(trace), "imbalance")["text"];
  INFO(text);
  CHECK(
      text.find("threads wait 2.25 s at 2 barriers, most of it, 1.2 s, at barrier wait @example.c:20 for the slowest, "
                "10 times.") != std::string::npos);
}

TEST_CASE("where threads wait equally at many barriers for one cause all of these are told of") {
  constexpr unsigned barriers = 25;
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, start, parallel);
  for (unsigned i = 0; i < barriers; ++i) {
    const auto barrier = trace.region("barrier wait", RegionRole::barrier, 20 + i);
    const std::uint64_t begin = start + i * 10 * ms, end = begin + 10 * ms;
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.enter(thread, thread == 0 ? end : begin + 2 * ms, barrier);
      trace.leave(thread, end, barrier);
    }
  }
  const std::uint64_t end = start + barriers * 10 * ms;
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_end(thread, end, parallel);
  trace.simple(0, end, EventType::program_end);
  const std::string text = finding(report_of(trace), "imbalance")["text"];
  INFO(text);
  CHECK(text.find("threads wait 600 ms at 25 barriers, most of it, 24 ms, at barrier wait @example.c:") !=
        std::string::npos);
  CHECK(text.find(" for the slowest, 25 times.") != std::string::npos);
}

TEST_CASE("sections that are fewer than threads are not said to differ in length") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             sections = trace.region("sections", RegionRole::sections, 11),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    const std::uint64_t done = start + (thread < 2 ? 100 : 0) * ms;
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, sections);
    trace.leave(thread, done, sections);
    trace.enter(thread, done, barrier);
    trace.leave(thread, start + 100 * ms, barrier);
    trace.team_end(thread, start + 100 * ms, parallel);
  }
  trace.simple(0, start + 100 * ms, EventType::program_end);
  const std::string text = finding(report_of(trace), "imbalance")["text"];
  INFO(text);
  CHECK(text.find("The sections of sections @example.c:11 are unevenly spread over the threads") == 0);
}
