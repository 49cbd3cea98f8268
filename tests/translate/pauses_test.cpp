// SPDX-License-Identifier: BSD-3-Clause
// While a program has paused the recording nothing happens, and nothing that was recorded becomes doubtful.
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
