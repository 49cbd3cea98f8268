// SPDX-License-Identifier: BSD-3-Clause
// While a program has paused the recording nothing happens, and nothing that was recorded becomes doubtful.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;
using Lines = std::vector<std::string>;

namespace {

constexpr ParallelId recorded = make_id(0, 2), paused = make_id(0, 4);

/// A region of two threads, and another one in a pause, in which `master` and `worker` happen.
struct PausedRegion {
  PausedRegion(std::initializer_list<Record> master, std::initializer_list<Record> worker) {
    auto& first = source.channel(0);
    first = {initial_task_begin(1, make_id(0, 1)),
             parallel_begin(10, recorded, 2),
             implicit_task_begin(11, recorded, make_id(0, 3), 0, 2),
             implicit_task_end(20, make_id(0, 3)),
             parallel_end(21, recorded),
             control_tool(30, control_command::pause),
             parallel_begin(40, paused, 2),
             implicit_task_begin(41, paused, make_id(0, 5), 0, 2)};
    first.insert(first.end(), master);
    for (const Record& r : {implicit_task_end(80, make_id(0, 5)), parallel_end(81, paused),
                            control_tool(90, control_command::start), initial_task_end(100, make_id(0, 1))})
      first.push_back(r);
    auto& second = source.channel(1);
    second = {implicit_task_begin(12, recorded, make_id(1, 1), 1, 2), implicit_task_end(19, make_id(1, 1), 1),
              implicit_task_begin(42, paused, make_id(1, 2), 1, 2)};
    second.insert(second.end(), worker);
    second.push_back(implicit_task_end(79, make_id(1, 2), 1));
    source.journal_to_fill().run.main_thread_id = 100;
    report = translate::translate(source, sink, {});
  }

  MemorySource source;
  MemorySink sink;
  translate::TranslateReport report;
};

}  // namespace

TEST_CASE("a worker's loop in a pause is in its team, and is left out with it") {
  constexpr std::uint16_t loop = work_type::loop_static;
  const PausedRegion run({work_begin(50, loop, 8), work_end(60, loop)}, {work_begin(51, loop, 8), work_end(61, loop)});
  CHECK(run.report.repairs.empty());
  CHECK_FALSE(run.report.doubtful);
  CHECK(run.sink.text(1) == Lines{"11 team_begin 0", "11 enter !$omp parallel @0x1000",
                                  "18 leave !$omp parallel @0x1000", "18 team_end 0", "29 measurement",
                                  "89 measurement"});
}

TEST_CASE("a single in a pause is executed once, and leaves no doubt") {
  constexpr std::uint16_t executor = work_type::single_executor, other = work_type::single_other;
  const PausedRegion run({work_begin(50, executor, 1), work_end(60, executor)},
                         {work_begin(51, other, 1), work_end(52, other)});
  CHECK(run.report.repairs.empty());
  CHECK_FALSE(run.report.doubtful);
}

TEST_CASE("behind the end of recording nothing begins it again") {
  MemorySource source;
  MemorySink sink;
  auto& records = source.channel(0);
  records = {initial_task_begin(1, make_id(0, 1)), flush(10), control_tool(20, control_command::end)};
  for (const Ticks t : {30u, 50u}) {
    const ParallelId region = make_id(0, t);
    for (const Record& r : {parallel_begin(t, region, 1), implicit_task_begin(t + 1, region, make_id(0, t + 1), 0, 1),
                            implicit_task_end(t + 2, make_id(0, t + 1)), parallel_end(t + 3, region),
                            control_tool(t + 10, control_command::start)})
      records.push_back(r);
  }
  records.push_back(initial_task_end(100, make_id(0, 1)));
  source.journal_to_fill().run.main_thread_id = 100;
  const auto report = translate::translate(source, sink, {});
  CHECK(sink.text(0) == Lines{"0 program_begin", "9 enter !$omp flush @0x1000", "9 leave !$omp flush @0x1000",
                              "19 measurement", "99 measurement", "99 program_end"});
  CHECK(report.paused);
  CHECK(report.repairs.empty());
}

namespace {

/// One thread in a region that makes a task, pauses, makes `count` tasks and one more, runs all but the last, goes on,
/// and makes another. Those of the pause run where they are made (`at_once`), or in a taskwait.
std::vector<Record> tasks_in_a_pause(std::uint64_t count, bool at_once, std::uint32_t flags) {
  constexpr TaskId own = make_id(0, 3);
  const TaskId untied = (flags & task_flag::untied) != 0 ? untied_bit : 0;
  std::vector<Record> records{initial_task_begin(1, make_id(0, 1)), parallel_begin(10, recorded, 1),
                              implicit_task_begin(11, recorded, own, 0, 1)};
  Ticks time = 20;
  const auto create = [&](std::uint64_t n) {
    records.push_back(task_create(time++, make_id(0, 4 + n), own, 0x2000, flags));
  };
  const auto run = [&](std::uint64_t n) {
    const TaskId task = make_id(0, 4 + n) | untied;
    records.push_back(task_switch(time++, task_status::switched, own, task));
    records.push_back(task_switch(time++, task_status::complete, task, own));
  };
  create(0);
  records.push_back(control_tool(time++, control_command::pause));
  for (std::uint64_t n = 1; n <= count; ++n) {
    create(n);
    if (at_once) run(n);
  }
  create(count + 1);
  records.push_back(sync_begin(time++, sync_kind::taskwait, own, 0x3000));
  for (std::uint64_t n = 0; n <= count; ++n)
    if (n == 0 || !at_once) run(n);
  records.push_back(sync_end(time++, sync_kind::taskwait, own, 0x3000));
  records.push_back(control_tool(time++, control_command::start));
  run(count + 1);
  create(count + 2);
  run(count + 2);
  records.push_back(implicit_task_end(time++, own));
  records.push_back(parallel_end(time++, recorded));
  records.push_back(initial_task_end(time++, make_id(0, 1)));
  return records;
}

std::size_t count_of(const MemorySink& sink, EventType type) {
  const auto& events = sink.locations.at(0).events;
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [type](const Event& e) { return e.type == type; }));
}

}  // namespace

TEST_CASE("tasks that were created and completed in a pause are left out, those that cross its edge are not") {
  const bool at_once = GENERATE(false, true);
  const std::uint32_t flags = GENERATE(0x4u, 0x4u | task_flag::untied);
  const Ending ending = GENERATE(Ending::finalize, Ending::unknown);
  MemorySource source;
  MemorySink sink;
  source.channel(0) = tasks_in_a_pause(100'000, at_once, flags);
  source.journal_to_fill().run.main_thread_id = 100;
  source.journal_to_fill().ending = ending;
  source.journal_to_fill().end = source.channel(0).back().time;
  const auto report = translate::translate(source, sink, {});
  CAPTURE(at_once, flags);
  CHECK(count_of(sink, EventType::task_create) == 3);
  CHECK(count_of(sink, EventType::task_complete) == 3);
  CHECK(sink.locations.at(0).events.size() < 50);
  CHECK(report.repairs.empty());
  CHECK_FALSE(report.doubtful);
}

TEST_CASE("a task that one thread creates in a pause and another one completes in it is left out") {
  constexpr TaskId task = make_id(0, 6);
  MemorySource source;
  MemorySink sink;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)),
                       parallel_begin(10, recorded, 2),
                       implicit_task_begin(11, recorded, make_id(0, 3), 0, 2),
                       control_tool(20, control_command::pause),
                       task_create(30, task, make_id(0, 3), 0x2000),
                       control_tool(50, control_command::start),
                       implicit_task_end(60, make_id(0, 3)),
                       parallel_end(61, recorded),
                       initial_task_end(70, make_id(0, 1))};
  source.channel(1) = {implicit_task_begin(12, recorded, make_id(1, 1), 1, 2),
                       task_switch(35, task_status::switched, make_id(1, 1), task),
                       task_switch(40, task_status::complete, task, make_id(1, 1)),
                       implicit_task_end(59, make_id(1, 1), 1)};
  source.journal_to_fill().run.main_thread_id = 100;
  const auto report = translate::translate(source, sink, {});
  CHECK(sink.text(1) == Lines{"11 team_begin 0", "11 enter !$omp parallel @0x1000", "19 measurement", "49 measurement",
                              "58 leave !$omp parallel @0x1000", "58 team_end 0"});
  CHECK(count_of(sink, EventType::task_create) == 0);
  CHECK(report.repairs.empty());
  CHECK_FALSE(report.doubtful);
}
