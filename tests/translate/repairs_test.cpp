// SPDX-License-Identifier: BSD-3-Clause
// Records in an order that no runtime should give, and the valid events that come of them all the same.
#include <algorithm>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;
using Lines = std::vector<std::string>;

namespace {

constexpr ParallelId region = make_id(0, 2);
constexpr TaskId master_task = make_id(0, 3), worker_task = make_id(1, 1), task = make_id(0, 4);

/// A region of two threads, to be given what happens in it.
struct Run {
  MemorySource source;
  MemorySink sink;
  translate::TranslateReport report;
  std::vector<Record> master{initial_task_begin(1, make_id(0, 1)),
                             parallel_begin(10, region, 2),
                             implicit_task_begin(20, region, master_task, 0, 2),
                             implicit_task_end(72, master_task),
                             parallel_end(80, region),
                             initial_task_end(950, make_id(0, 1))};
  std::vector<Record> worker{implicit_task_begin(25, region, worker_task, 1, 2), implicit_task_end(70, worker_task, 1)};

  /// In the order of time.
  static void insert(std::vector<Record>& records, const Record& r) {
    records.insert(std::upper_bound(records.begin(), records.end(), r,
                                    [](const Record& x, const Record& y) { return x.time < y.time; }),
                   r);
  }
  void translate() {
    source.channel(0) = master;
    source.channel(1) = worker;
    source.journal_to_fill().run.main_thread_id = 100;
    report = translate::translate(source, sink, {});
  }
  bool has(LocationRef location, const std::string& line) {
    const Lines lines = sink.text(location);
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
  std::size_t count(const std::string& part) {
    std::size_t n = 0;
    for (LocationRef location = 0; location < 2; ++location) {
      const Lines lines = sink.text(location);
      n += static_cast<std::size_t>(
          std::count_if(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(part) != l.npos; }));
    }
    return n;
  }
};

Record acquired(Ticks time) {
  return mutex_acquired(time, mutex_kind::critical, 0xbeef, 0x3000);
}
Record released(Ticks time) {
  return mutex_released(time, mutex_kind::critical, 0xbeef, 0x3000);
}
Record switched(Ticks time, TaskId from, TaskId to, std::uint16_t status = 7) {
  return task_switch(time, status, from, to);
}

}  // namespace

TEST_CASE("dependences that a task's creation has no room for are counted") {
  struct Declared {
    std::uint32_t in, inout, left_out;
  };
  for (const Declared& declared : {Declared{300, 0, 100}, Declared{150, 150, 48}, Declared{200, 52, 0}}) {
    CAPTURE(declared.in, declared.inout);
    constexpr std::uint16_t in = 1, inout = 3;
    Run run;
    Run::insert(run.master, with_dependences(task_create(30, task, master_task)));
    const std::uint32_t count = declared.in + declared.inout;
    for (std::uint32_t i = 0; i < count; ++i)
      Run::insert(run.master, dependence(30, i < declared.in ? in : inout, task, 0x100 + i, i, count));
    Run::insert(run.master, switched(40, master_task, task));
    Run::insert(run.master, switched(45, task, master_task, task_status::complete));
    run.translate();
    std::uint64_t written = 0;
    for (const EventAttribute& a : run.sink.locations[0].attributes)
      written += run.sink.definitions.attributes.at(a.attribute).name.starts_with("DEPEND_") ? 1 : 0;
    CHECK(written == count - declared.left_out);
    CHECK(run.report.repairs["dependences of a task left out"] == declared.left_out);
    CHECK_FALSE(run.report.doubtful);
  }
}

TEST_CASE("a lock that another thread releases than acquired it is released there") {
  Run run;
  Run::insert(run.master, acquired(31));
  Run::insert(run.worker, released(40));
  run.translate();
  CHECK(run.has(0, "30 acquire 0.1"));
  CHECK(run.has(1, "39 release 0.1"));
  CHECK(run.count("release") == 1);
}

TEST_CASE("an acquisition whose clock was read early comes after what the holder before did last") {
  Run run;
  Run::insert(run.master, acquired(31));
  Run::insert(run.master, flush(50, 0x3000));
  Run::insert(run.master, released(52));
  Run::insert(run.worker, acquired(48));
  Run::insert(run.worker, released(55));
  run.translate();
  CHECK(run.has(0, "49 enter !$omp flush @0x3000"));
  CHECK(run.has(0, "49 release 0.1"));
  CHECK(run.has(1, "49 acquire 0.2"));
  CHECK(run.has(1, "54 release 0.2"));
}

TEST_CASE("acquisitions of two threads in one tick of the clock are told one after the other") {
  Run run;
  Run::insert(run.master, acquired(31));
  Run::insert(run.master, flush(52, 0x3000));
  Run::insert(run.master, released(52));
  Run::insert(run.master, acquired(52));
  Run::insert(run.master, released(60));
  Run::insert(run.worker, acquired(48));  // read early: the master had it up to 52
  Run::insert(run.worker, released(55));
  run.translate();
  std::vector<std::pair<std::string, std::string>> orders;  // time and order of each acquisition
  for (LocationRef location = 0; location < 2; ++location)
    for (const std::string& line : run.sink.text(location))
      if (const auto at = line.find(" acquire 0."); at != line.npos)
        orders.emplace_back(line.substr(at + 11), line.substr(0, at));
  std::sort(orders.begin(), orders.end());
  REQUIRE(orders.size() == 3);
  CHECK(orders[0].second < orders[1].second);
  CHECK(orders[1].second < orders[2].second);
}

TEST_CASE("a lock that is never released is so where the next one has it") {
  Run run;
  Run::insert(run.master, acquired(31));
  Run::insert(run.master, flush(50, 0x3000));
  Run::insert(run.worker, acquired(40));
  Run::insert(run.worker, released(45));
  run.translate();
  CHECK(run.has(0, "39 release 0.1"));
  CHECK(run.has(1, "39 acquire 0.2"));
  CHECK(run.report.repairs.at("lock released where the next one has it") == 1);
}

TEST_CASE("acquisitions within a pause have no number") {
  Run run;
  Run::insert(run.master, control_tool(30, control_command::pause));
  for (const Ticks time : {31u, 35u}) {
    Run::insert(run.master, acquired(time));
    Run::insert(run.master, released(time + 2));
  }
  Run::insert(run.master, control_tool(40, control_command::start));
  Run::insert(run.master, acquired(50));
  Run::insert(run.master, released(52));
  run.translate();
  CHECK(run.has(0, "49 acquire 0.1"));
  CHECK(run.count("acquire") == 1);
}

TEST_CASE("what a thread does between a fork and its team's begin is inside the team") {
  Run run;
  Run::insert(run.master, flush(15, 0x3000));
  run.translate();
  CHECK(run.has(0, "9 fork 2"));
  CHECK(run.has(0, "14 team_begin 0"));
  CHECK(run.count("team_begin") == 2);
  CHECK(run.report.repairs.at("team begin of a master supplied") == 1);
}

TEST_CASE("what a thread does between its team's end and the join comes after the join") {
  Run run;
  Run::insert(run.master, flush(75, 0x3000));
  run.translate();
  CHECK(run.has(0, "74 join"));
  CHECK(run.count("join") == 1);
}

TEST_CASE("who comes to a team after its end is no member of it") {
  Run run;
  run.worker = {implicit_task_begin(90, region, worker_task, 1, 2), implicit_task_end(95, worker_task, 1)};
  run.translate();
  CHECK(run.count("team_begin") == 1);
  CHECK(run.sink.definitions.groups.back().members == std::vector<std::uint32_t>{0});
}

TEST_CASE("a task that two threads begin runs once") {
  Run run;
  Run::insert(run.master, task_create(30, make_id(0, 4), master_task, 0x2000));
  Run::insert(run.master, switched(33, master_task, task));
  Run::insert(run.master, switched(36, task, master_task, 1));
  Run::insert(run.worker, switched(34, worker_task, task));
  Run::insert(run.worker, switched(35, task, worker_task, 1));
  run.translate();
  CHECK(run.count("task_complete") == 1);
  CHECK(run.count("enter !$omp task @0x2000") == 1);
}

TEST_CASE("what a worker is said to do after its master has left the team is at the team's end") {
  Run run;
  run.worker.back().time = 400;
  Run::insert(run.worker, flush(300, 0x3000));
  run.translate();
  CHECK(run.has(1, "71 team_end 0"));
  CHECK(run.has(1, "71 enter !$omp flush @0x3000"));
}

TEST_CASE("an operation on data of a kind that nobody foresaw has a region with its number") {
  Run run;
  Run::insert(run.master, data_op_begin(30, 99, make_id(0, 9), 64));
  run.master.insert(run.master.begin() + 4, data_op_more(0x7000, 0x9000, 0x4000));
  run.translate();
  CHECK(run.has(0, "29 enter !$omp target data op 99 @0x4000"));
}
