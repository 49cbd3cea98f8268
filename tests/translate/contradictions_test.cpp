// SPDX-License-Identifier: BSD-3-Clause
// What threads say that cannot all be true: decided from what they say, before anything is written.
#include <algorithm>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;
using Lines = std::vector<std::string>;

namespace {

constexpr ParallelId region = make_id(0, 2), inner_region = make_id(1, 2);
constexpr TaskId initial = make_id(0, 1), master_task = make_id(0, 3), worker_task = make_id(1, 1);
constexpr TaskId task = make_id(0, 4), untied_task = task | untied_bit, nobodys = make_id(0, 99);
constexpr const char* left_out = "task of threads that contradict each other left out";

/// Says how often its records were asked for.
struct CountingSource final : TraceSource {
  const MemorySource& source;
  mutable std::size_t readings = 0;
  explicit CountingSource(const MemorySource& s) : source(s) {}
  const Journal& journal() const override { return source.journal(); }
  std::unique_ptr<RecordReader> records(ChannelId channel) const override {
    ++readings;
    return source.records(channel);
  }
  std::unique_ptr<DeviceReader> device_records() const override { return source.device_records(); }
};

/// A region of two threads, to be given what happens in it.
struct TwoThreads {
  std::vector<Record> master{initial_task_begin(1, initial),
                             parallel_begin(10, region, 2),
                             implicit_task_begin(20, region, master_task, 0, 2),
                             implicit_task_end(72, master_task),
                             parallel_end(80, region),
                             initial_task_end(950, initial)};
  std::vector<Record> worker{implicit_task_begin(21, region, worker_task, 1, 2), implicit_task_end(70, worker_task, 1)};
  Ending ending = Ending::finalize;
  MemorySink sink;
  std::map<std::string, std::uint64_t> repairs;
  std::size_t readings = 0;  ///< of a channel

  /// In the order of time.
  static void add(std::vector<Record>& records, std::initializer_list<Record> more) {
    records.insert(records.end(), more);
    std::stable_sort(records.begin(), records.end(), [](const Record& a, const Record& b) { return a.time < b.time; });
  }
  /// As a runtime's fault would: the worker comes from a task that did not run.
  void contradict() { add(worker, {task_switch(22, task_status::switched, nobodys, worker_task)}); }
  void translate() {
    MemorySource source;
    source.channel(0) = master;
    source.channel(1) = worker;
    source.journal_to_fill().run.main_thread_id = 100;
    source.journal_to_fill().ending = ending;
    const CountingSource counting(source);
    repairs = translate::translate(counting, sink, {}).repairs;
    readings = counting.readings / 2;
  }
  std::size_t count(const std::string& part) {
    std::size_t n = 0;
    for (const LocationRef location : {0u, 1u}) {
      const Lines lines = sink.text(location);
      n += static_cast<std::size_t>(
          std::count_if(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(part) != l.npos; }));
    }
    return n;
  }
  void check_that_the_task_is_left_out() {
    CHECK(repairs[left_out] == 1);
    CHECK(count("task_create") == 0);
    CHECK(count("task_complete") == 0);
    CHECK(count("create task") == 2);  // what its creator did remains
    CHECK(count("team_end") == 2);
  }
};

}  // namespace

TEST_CASE("a task that runs before it is created is left out") {
  TwoThreads run;
  TwoThreads::add(run.master, {task_create(40, task, master_task)});
  TwoThreads::add(run.worker, {task_switch(30, task_status::switched, worker_task, task),
                               task_switch(35, task_status::complete, task, worker_task)});
  run.contradict();
  run.translate();
  run.check_that_the_task_is_left_out();
}

TEST_CASE("a task that two threads begin in the same tick is left out") {
  TwoThreads run;
  TwoThreads::add(run.master,
                  {task_create(25, task, master_task), task_switch(30, task_status::switched, master_task, task),
                   task_switch(35, task_status::complete, task, master_task)});
  TwoThreads::add(run.worker, {task_switch(30, task_status::switched, worker_task, task),
                               task_switch(36, task_status::complete, task, worker_task)});
  run.translate();
  run.check_that_the_task_is_left_out();
}

TEST_CASE("an untied task that goes on when it is complete is left out") {
  TwoThreads run;
  TwoThreads::add(run.master, {task_create(25, task, master_task, somewhere, 0x10000004),
                               task_switch(30, task_status::switched, master_task, untied_task),
                               task_switch(35, task_status::switched, untied_task, master_task),
                               task_switch(36, task_status::complete, untied_task, master_task)});
  TwoThreads::add(run.worker, {task_switch(40, task_status::switched, worker_task, untied_task),
                               task_switch(45, task_status::complete, untied_task, worker_task)});
  run.translate();
  run.check_that_the_task_is_left_out();
}

TEST_CASE("a task whose region goes on when the task's own team has ended ends with that, and the region before") {
  TwoThreads run;
  TwoThreads::add(run.master, {task_create(25, task, master_task)});
  run.worker.pop_back();
  TwoThreads::add(run.worker,
                  {task_switch(30, task_status::switched, worker_task, task), parallel_begin(40, inner_region, 1),
                   implicit_task_begin(45, inner_region, make_id(1, 3), 0, 1), implicit_task_end(85, make_id(1, 3)),
                   parallel_end(90, inner_region)});
  run.translate();
  CHECK(run.repairs.count(left_out) == 0);
  CHECK(run.count("71 join") == 1);
  CHECK(run.count("71 task_complete 0.1") == 1);
}

TEST_CASE("a task that begins on a thread of which it is an implicit task, too, is left out") {
  TwoThreads run;
  TwoThreads::add(run.master, {task_create(25, task, master_task)});
  run.worker = {implicit_task_begin(21, region, task, 1, 2), task_switch(30, task_status::switched, nobodys, task),
                task_switch(35, task_status::complete, task, nobodys), implicit_task_end(70, task, 1)};
  run.translate();
  run.check_that_the_task_is_left_out();
}

TEST_CASE("other tasks of a trace that contradicts itself are whole") {
  TwoThreads run;
  TwoThreads::add(run.master, {task_create(25, task, master_task)});
  TwoThreads::add(run.worker, {task_switch(30, task_status::switched, worker_task, task),
                               task_switch(35, task_status::complete, task, worker_task)});
  run.contradict();
  run.translate();
  CHECK(run.repairs.count(left_out) == 0);
  CHECK(run.count("task_create 0.1") == 1);
  CHECK(run.count("task_complete 0.1") == 1);
}

TEST_CASE("a thread that has no implicit task is in none when it leaves an explicit one") {
  TwoThreads run;
  TwoThreads::add(run.master, {task_create(25, task, master_task)});
  run.worker = {task_switch(30, task_status::switched, no_id, task), task_switch(35, task_status::yield, task, no_id),
                task_switch(40, task_status::switched, no_id, task),
                task_switch(45, task_status::complete, task, no_id)};
  run.translate();
  const Lines lines = run.sink.text(1);
  const auto at = [&](const char* time) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& l) { return l.starts_with(time); });
  };
  CHECK(at("34 task_switch") == 1);
  CHECK(at("39 task_switch") == 1);
  CHECK(run.count("task_complete 0.1") == 1);
}

TEST_CASE("an id of a region that is not larger than the one before is none") {
  TwoThreads run;
  TwoThreads::add(run.master, {parallel_begin(81, region, 1), parallel_end(85, region)});
  run.translate();
  CHECK(run.count("fork") == 1);
  CHECK(run.repairs["parallel regions without an id"] == 1);
  CHECK(run.repairs["second end of a parallel region ignored"] == 1);
}

TEST_CASE("records are read twice, where tasks have no end three times, and where they contradict each other four") {
  TwoThreads whole, killed, contradicting;
  for (TwoThreads* const run : {&whole, &killed, &contradicting})
    TwoThreads::add(run->master,
                    {task_create(25, task, master_task), task_switch(30, task_status::switched, master_task, task),
                     task_switch(35, task_status::complete, task, master_task)});
  whole.translate();
  CHECK(whole.readings == 2);
  killed.master.resize(5);
  killed.ending = Ending::unknown;
  killed.translate();
  CHECK(killed.readings == 3);
  contradicting.contradict();
  contradicting.translate();
  CHECK(contradicting.readings == 4);
}
