// SPDX-License-Identifier: BSD-3-Clause
// Records as libomp gives them, and the events that they must become.
#include "tracer/translate/translate.hpp"
#include "catch.hpp"
#include "late_ends.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/resolve/tables.hpp"

using namespace tracer;
using namespace tracer::test;
using Lines = std::vector<std::string>;

TEST_CASE("a worker's late ends get the master's times") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  const auto report = run(source, sink);
  CHECK(sink.text(1) == Lines{
                            "24 team_begin 0",
                            "24 enter !$omp parallel @0x1000",
                            "59 enter !$omp implicit barrier @0x1000",
                            "60 enter !$omp implicit barrier wait @0x1000",
                            "69 leave !$omp implicit barrier wait @0x1000",
                            "70 leave !$omp implicit barrier @0x1000",
                            "71 leave !$omp parallel @0x1000",
                            "71 team_end 0",
                        });
  CHECK(report.repairs.empty());
  CHECK(sink.definitions.locations.at(0).name == "Master thread");
  CHECK(sink.definitions.locations.at(1).name == "OMP thread 1");
}

TEST_CASE("a worker whose late ends never come leaves with its master") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  source.channel(1).resize(3);
  const auto report = run(source, sink);
  CHECK(sink.text(1).at(4) == "69 leave !$omp implicit barrier wait @0x1000");
  CHECK(sink.text(1).back() == "71 team_end 0");
  CHECK(report.repairs.empty());
}

TEST_CASE("a task that another thread executes has one creation, one first switch and one completion") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, task_create(30, make_id(0, 4), make_id(0, 3), 0x2000));
  auto& worker = source.channel(1);
  worker.insert(worker.begin() + 3, {task_switch(62, task_status::switched, make_id(1, 1), make_id(0, 4)),
                                     task_switch(65, task_status::complete, make_id(0, 4), make_id(1, 1))});
  const auto report = run(source, sink);
  const Lines master_lines = sink.text(0), worker_lines = sink.text(1);
  CHECK(Lines(master_lines.begin() + 4, master_lines.begin() + 7) ==
        Lines{"29 enter !$omp create task @0x2000", "29 task_create 0.1", "29 leave !$omp create task @0x2000"});
  CHECK(Lines(worker_lines.begin() + 4, worker_lines.begin() + 9) ==
        Lines{"61 task_switch 0.1", "61 enter !$omp task @0x2000", "64 leave !$omp task @0x2000",
              "64 task_complete 0.1", "64 task_switch 1.0"});
  CHECK(report.repairs.empty());
}

TEST_CASE("an untied task that goes on elsewhere leaves its regions where it was") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  const TaskId task = make_id(0, 4) | untied_bit;
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, {task_create(30, make_id(0, 4), make_id(0, 3), 0x2000, 0x10000004),
                                     task_switch(45, task_status::switched, make_id(0, 3), task),
                                     task_switch(48, task_status::complete, task, make_id(0, 3))});
  auto& worker = source.channel(1);
  worker.insert(worker.begin() + 1, {task_switch(31, task_status::switched, make_id(1, 1), task),
                                     task_switch(40, task_status::switched, task, make_id(1, 1))});
  const auto report = run(source, sink);
  const Lines worker_lines = sink.text(1), master_lines = sink.text(0);
  CHECK(Lines(worker_lines.begin() + 2, worker_lines.begin() + 6) ==
        Lines{"30 task_switch 0.1", "30 enter !$omp task untied @0x2000", "39 leave !$omp task untied @0x2000",
              "39 task_switch 1.0"});
  CHECK(Lines(master_lines.begin() + 7, master_lines.begin() + 12) ==
        Lines{"44 task_switch 0.1", "44 enter !$omp task untied @0x2000", "47 leave !$omp task untied @0x2000",
              "47 task_complete 0.1", "47 task_switch 0.0"});
  CHECK(report.repairs.empty());
}

TEST_CASE("an untied task whose end another thread tells ends where it ran") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  const TaskId task = make_id(0, 4) | untied_bit;
  // The last: the thread comes to its next record before the end is told. The first: the clock is coarse, the end is
  // told at once.
  const Ticks told = GENERATE(45, 48, 65);
  const bool goes_on_before = told == 65;
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, {task_create(30, make_id(0, 4), make_id(0, 3), 0x2000, 0x10000004),
                                     task_switch(45, task_status::switched, make_id(0, 3), task)});
  if (goes_on_before) master.insert(master.begin() + 5, sync_begin(46, sync_kind::taskwait, make_id(0, 3), 0x3000));
  if (goes_on_before) master.insert(master.begin() + 6, sync_end(47, sync_kind::taskwait, make_id(0, 3), 0x3000));
  auto& worker = source.channel(1);
  worker.insert(worker.begin() + 1, {task_switch(31, task_status::switched, make_id(1, 1), task),
                                     task_switch(40, task_status::switched, task, make_id(1, 1))});
  const auto barrier = std::find_if(worker.begin(), worker.end(), [told](const Record& r) { return r.time > told; });
  worker.insert(barrier, task_switch(told, task_status::complete, task, make_id(1, 1)));
  const auto report = run(source, sink);
  const Lines master_lines = sink.text(0);
  const std::string end = told == 45 ? "44" : goes_on_before ? "45" : "47";
  CHECK(Lines(master_lines.begin() + 7, master_lines.begin() + 12) ==
        Lines{"44 task_switch 0.1", "44 enter !$omp task untied @0x2000", end + " leave !$omp task untied @0x2000",
              end + " task_complete 0.1", end + " task_switch 0.0"});
  const Lines worker_lines = sink.text(1);
  CHECK(std::none_of(worker_lines.begin(), worker_lines.end(),
                     [](const std::string& line) { return line.find("task_complete") != line.npos; }));
  CHECK(report.repairs.empty());
}

TEST_CASE("a lock's acquisitions are numbered over all threads and do not overlap") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, {mutex_acquire(30, mutex_kind::critical, 0xbeef, 0x3000),
                                     mutex_acquired(31, mutex_kind::critical, 0xbeef, 0x3000),
                                     mutex_released(40, mutex_kind::critical, 0xbeef, 0x3010)});
  auto& worker = source.channel(1);
  worker.insert(worker.begin() + 1, {mutex_acquire(32, mutex_kind::critical, 0xbeef, 0x3000),
                                     mutex_acquired(38, mutex_kind::critical, 0xbeef, 0x3000),
                                     mutex_released(50, mutex_kind::critical, 0xbeef, 0x3010)});
  run(source, sink);
  const Lines master_lines = sink.text(0), worker_lines = sink.text(1);
  CHECK(Lines(master_lines.begin() + 4, master_lines.begin() + 10) ==
        Lines{"29 enter !$omp critical @0x3000", "30 acquire 0.1", "30 enter !$omp critical sblock @0x3000",
              "37 leave !$omp critical sblock @0x3000", "37 release 0.1", "39 leave !$omp critical @0x3000"});
  CHECK(worker_lines.at(3) == "37 acquire 0.2");
}

TEST_CASE("a trace that ends inside a region is closed at the last time seen") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  source.channel(0).resize(4);
  source.channel(1).resize(3);
  const auto report = run(source, sink);
  const Lines lines = sink.text(0);
  CHECK(Lines(lines.end() - 3, lines.end()) == Lines{"60 team_end 0", "61 join", "62 program_end"});
  CHECK(sink.text(1).back() == "60 team_end 0");
  CHECK(report.repairs.count("team left without its end") == 1);
  CHECK(report.repairs.at("team left without its end") == 2);
}

TEST_CASE("while recording is paused nothing happens, and what was open stays open") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  // Paused from 30 (inside the region) to 500; a second region begins and ends within.
  master.insert(master.begin() + 3, control_tool(30, control_command::pause));
  const ParallelId second = make_id(0, 5);
  const std::size_t at = master.size() - 1;
  master.insert(master.begin() + static_cast<std::ptrdiff_t>(at),
                {parallel_begin(200, second, 1, 0x1100), implicit_task_begin(210, second, make_id(0, 6), 0, 1),
                 implicit_task_end(220, make_id(0, 6)), parallel_end(230, second, 0x1100),
                 control_tool(500, control_command::start)});
  run(source, sink);
  const Lines lines = sink.text(0);
  CHECK(Lines(lines.begin() + 4, lines.end()) == Lines{"29 measurement", "499 measurement",
                                                       "499 leave !$omp parallel @0x1000", "499 team_end 0", "499 join",
                                                       "949 program_end"});
  const auto& properties = sink.definitions.properties;
  CHECK(std::any_of(properties.begin(), properties.end(), [](const Property& p) {
    return p.name == "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE" && p.value == "false";
  }));
}

TEST_CASE("the initial task of a league of one team belongs to the league") {
  MemorySource source;
  MemorySink sink;
  source.channel(0) = {
      initial_task_begin(1, make_id(0, 1)), league_begin(10, region, 1), league_task_begin(20, make_id(0, 3)),
      league_task_end(30, make_id(0, 3)),   league_end(40, region),
  };
  const auto report = run(source, sink);
  CHECK(sink.text(0) == Lines{"0 program_begin", "9 fork 1", "19 team_begin 0", "19 enter !$omp teams @0x1000",
                              "29 leave !$omp teams @0x1000", "29 team_end 0", "39 join", "39 program_end"});
  CHECK(report.repairs.empty());
}

TEST_CASE("a position inside the runtime is that of the region around it") {
  // The runtime's file, another copy of one, LLVM's library for target regions, which runs them by libffi on the host.
  const auto [path, is_runtime] = GENERATE(table<const char*, bool>({{"/proc/self/exe", true},
                                                                     {"/wheel/libgomp-a34b3233.so.1.0.0", true},
                                                                     {"/llvm/libomptarget.so.22.1", true},
                                                                     {"/llvm/libomptarget.rtl.x86_64.so", true},
                                                                     {"/usr/lib/libffi.so.8.1.2", true},
                                                                     {"/home/me/libompfoo.so", false}}));
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  Journal& journal = source.journal_to_fill();
  journal.run.runtime_library = "/proc/self/exe";
  Module runtime;
  runtime.path = path;
  runtime.begin = 0x7000;
  runtime.end = 0x8000;
  journal.modules.push_back(runtime);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, {sync_begin(30, sync_kind::barrier_explicit, make_id(0, 3), 0x7010),
                                     sync_end(40, sync_kind::barrier_explicit, make_id(0, 3), 0x7010)});
  run(source, sink);
  INFO(path);
  CHECK(sink.text(0).at(4) == (is_runtime ? "29 enter !$omp barrier @0x1000" : "29 enter !$omp barrier @0x7010"));
}

TEST_CASE("a loop that begins without its position has that of its end, also around another team's loops") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  constexpr ParallelId inner = make_id(0, 6);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3,
                {work_begin(21, work_type::loop_dynamic, 2, 0), dispatched(22, dispatch_kind::loop_chunk, 0, 1),
                 parallel_begin(23, inner, 1, 0x2000), implicit_task_begin(24, inner, make_id(0, 7), 0, 1),
                 work_begin(25, work_type::loop_dynamic, 2, 0), dispatched(26, dispatch_kind::loop_chunk, 0, 1),
                 work_end(27, work_type::loop_dynamic, 0x3000), work_begin(28, work_type::loop_guided, 2, 0),
                 implicit_task_end(29, make_id(0, 7)), parallel_end(30, inner, 0x2000),
                 work_end(31, work_type::loop_dynamic, 0x4000), work_begin(32, work_type::loop_dynamic, 2, 0),
                 work_end(33, work_type::loop_dynamic, 0x4000), work_begin(34, work_type::loop_dynamic, 2, 0x4000),
                 work_end(35, work_type::loop_dynamic, 0x4000)});
  run(source, sink);
  Lines loops;
  for (const std::string& line : sink.text(0))
    if (line.find("enter !$omp for") != std::string::npos || line.find("enter !$omp loop") != std::string::npos)
      loops.push_back(line);
  CHECK(loops == Lines{"20 enter !$omp for @0x4000", "21 enter !$omp loop chunk @0x4000", "24 enter !$omp for @0x3000",
                       "25 enter !$omp loop chunk @0x3000", "27 enter !$omp for @0x2000", "31 enter !$omp for @0x4000",
                       "33 enter !$omp for @0x4000"});
}

TEST_CASE("the end of a region ends the innermost one that its thread began, whatever id it has") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  source.channel(0).at(8).b = make_id(1, 77);
  const auto report = run(source, sink);
  CHECK(sink.text(0).at(sink.text(0).size() - 2) == "79 join");
  CHECK(report.repairs.empty());
}

TEST_CASE("a trace that ends before the master came to its part of the team has the worker's all the same") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  source.channel(0).resize(2);
  source.channel(1).resize(1);
  const auto report = run(source, sink);
  CHECK(sink.text(0) == Lines{"0 program_begin", "9 fork 2", "24 team_begin 0", "24 enter !$omp parallel @0x1000",
                              "24 leave !$omp parallel @0x1000", "24 team_end 0", "25 join", "26 program_end"});
  CHECK(sink.text(1).size() == 4);
  CHECK(report.repairs.count("team begin of a master supplied") == 1);
}

TEST_CASE("a task that never ran ends with its creator's team") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, task_create(30, make_id(0, 4), make_id(0, 3), 0x2000));
  master.resize(5);
  source.channel(1).resize(3);
  const auto report = run(source, sink);
  const Lines lines = sink.text(0);
  const auto created = std::find(lines.begin(), lines.end(), "29 task_create 0.1");
  const auto completed = std::find(lines.begin(), lines.end(), "60 task_complete 0.1");
  const auto ended = std::find(lines.begin(), lines.end(), "60 team_end 0");
  CHECK(created < completed);
  CHECK(completed < ended);
  CHECK(ended != lines.end());
  CHECK(report.repairs.at("task that never ran ended with its team") == 1);
}

TEST_CASE("a lock that is held when the program ends is released there") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, {mutex_acquire(30, mutex_kind::critical, 0xbeef, 0x3000),
                                     mutex_acquired(31, mutex_kind::critical, 0xbeef, 0x3000)});
  master.resize(5);
  source.channel(1).resize(3);
  run(source, sink);
  const Lines lines = sink.text(0);
  CHECK(std::find(lines.begin(), lines.end(), "30 acquire 0.1") <
        std::find(lines.begin(), lines.end(), "60 release 0.1"));
  CHECK(std::find(lines.begin(), lines.end(), "60 release 0.1") <
        std::find(lines.begin(), lines.end(), "60 team_end 0"));
}

TEST_CASE("a region that begins and ends in a pause is left out with its team and its tasks") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, task_create(30, make_id(0, 4), make_id(0, 3), 0x2000));
  auto& worker = source.channel(1);
  worker.insert(worker.begin() + 3, {task_switch(62, task_status::switched, make_id(1, 1), make_id(0, 4)),
                                     task_switch(65, task_status::complete, make_id(0, 4), make_id(1, 1))});
  master.insert(master.begin() + 1, control_tool(5, control_command::pause));
  master.insert(master.end() - 1, control_tool(500, control_command::start));
  const auto report = run(source, sink);
  CHECK(sink.text(0) == Lines{"0 program_begin", "4 measurement", "499 measurement", "949 program_end"});
  CHECK(sink.text(1).empty());
  CHECK(std::none_of(sink.definitions.comms.begin(), sink.definitions.comms.end(),
                     [](const Comm& comm) { return comm.used; }));
  CHECK(report.repairs.empty());
}

TEST_CASE("what hashing the content of a copy took begins where the copy ended") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  Record hashed = ring_wait(36, 36);
  hashed.c = 31;
  master.insert(master.begin() + 3,
                {mutex_acquire(30, mutex_kind::lock, 0x77, 0x2000), mutex_acquired(31, mutex_kind::lock, 0x77, 0x2000),
                 hashed, mutex_released(38, mutex_kind::lock, 0x77, 0x2010)});
  const auto report = run(source, sink);
  const Lines lines = sink.text(0);
  CAPTURE(lines);
  CHECK(std::find(lines.begin(), lines.end(), "30 buffer_flush") != lines.end());
  CHECK(report.repairs.empty());
}

TEST_CASE("what has no position is named after what is around it, but for more of both than programs have") {
  const auto name_within = [](std::uint16_t count) {
    translate::Tables tables;
    auto& sites = tables.channels.emplace_back().sites;
    for (std::uint16_t i = 0; i < count; ++i) {
      sites.push_back({0x10000u + i, translate::Construct::for_loop, false, 0});
      sites.push_back({0, translate::Construct::work_other, false, static_cast<std::uint16_t>(1000 + i)});
    }
    translate::build_regions(tables, {}, {});
    const Region* region = tables.regions->look_up({0x10001, translate::Construct::work_other, false, 1002});
    return region == nullptr ? std::string{} : region->name;
  };
  CHECK(name_within(10) == "!$omp work 1002 @0x10001");
  CHECK(name_within(1100) == "!$omp work 1002");  // 1,210,000 names are none
}

TEST_CASE("of a place in several functions all are named, in an order that no address decides") {
  translate::Tables tables;
  auto& sites = tables.channels.emplace_back().sites;
  for (const std::uint64_t address : {0x1000, 0x2000, 0x3000})
    sites.push_back({address, translate::Construct::for_loop, false, 0});
  const auto symbolize = [](const std::vector<std::uint64_t>& addresses) {
    std::vector<translate::SourcePosition> positions;
    for (const std::uint64_t address : addresses) {
      translate::SourcePosition& position = positions.emplace_back();
      position.file = "/src/a.cpp";
      position.line = 7;
      position.function = address == 0x1000 ? "run<int>()" : address == 0x2000 ? "run<char>()" : "run";
    }
    return positions;
  };
  translate::build_regions(tables, {}, symbolize);
  const Region* region = tables.regions->look_up({0x2000, translate::Construct::for_loop, false, 0});
  REQUIRE(region != nullptr);
  CHECK(region->description == "run, run<char>(), run<int>()");
}

TEST_CASE("of threads that had one number after each other each has the processors that it was bound to") {
  MemorySource source;
  for (const ChannelId channel : {0u, 1u, 2u})
    source.channel(channel) = {initial_task_begin(1 + 10 * channel, make_id(channel, 1)),
                               initial_task_end(5 + 10 * channel, make_id(channel, 1))};
  Journal& journal = source.journal_to_fill();
  for (ChannelInfo& info : journal.channels) info.os_thread_id = 5000;
  const bool is_earlier_version = GENERATE(false, true);
  journal.facts[is_earlier_version ? "THREAD_PROCESSORS::5000" : "THREAD_PROCESSORS::5000@1"] = "0";
  MemorySink sink;
  translate::translate(source, sink, {});
  unsigned bound = 0;
  for (const Location& location : sink.definitions.locations)
    for (const Property& property : location.properties)
      if (property.name == properties::processors && property.value == "0") ++bound;
  CHECK(bound == (is_earlier_version ? 3u : 1u));
}
