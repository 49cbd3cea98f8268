// SPDX-License-Identifier: BSD-3-Clause
// Threads that waited for the drainer: where the wait stands among their events.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "late_ends.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"

using namespace tracer;
using namespace tracer::test;
using Lines = std::vector<std::string>;

TEST_CASE("a wait for the drainer is written after the record that had to wait") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  // The clock of the fork was read at 10, then its thread waited from 12 to 15.
  master.insert(master.begin() + 1, ring_wait(12, 15));
  const auto report = run(source, sink);
  const Lines lines = sink.text(0);
  CHECK(Lines(lines.begin(), lines.begin() + 5) ==
        Lines{"0 program_begin", "9 fork 2", "19 team_begin 0", "19 enter !$omp parallel @0x1000", "19 buffer_flush"});
  CHECK(report.repairs.empty());
}

TEST_CASE("a wait for the drainer does not part a task from its dependences") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3, {with_dependences(task_create(30, make_id(0, 4), make_id(0, 3), 0x2000)),
                                     ring_wait(33, 36), dependence(32, 1, make_id(0, 4), 0xabc)});
  run(source, sink);
  const auto& attributes = sink.locations.at(0).attributes;
  CHECK(std::any_of(attributes.begin(), attributes.end(), [](const EventAttribute& a) { return a.value == 0xabc; }));
}

TEST_CASE("records that are older than a wait for the drainer come before it, however many") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  master.insert(master.begin() + 3,
                {ring_wait(34, 36), mutex_acquire(30, mutex_kind::lock, 0x77, 0x2000),
                 mutex_acquired(31, mutex_kind::lock, 0x77, 0x2000), mutex_released(32, mutex_kind::lock, 0x77, 0x2010),
                 mutex_acquire(33, mutex_kind::lock, 0x77, 0x2000), mutex_acquired(37, mutex_kind::lock, 0x77, 0x2000),
                 mutex_released(38, mutex_kind::lock, 0x77, 0x2010)});
  const auto report = run(source, sink);
  const Lines lines = sink.text(0);
  const auto at = [&](const char* what) { return std::find(lines.begin(), lines.end(), what) - lines.begin(); };
  CAPTURE(lines);
  CHECK(at("31 release 0.1") < at("33 buffer_flush"));
  CHECK(report.repairs.empty());
}

TEST_CASE("a wait for the drainer does not come before a lock routine that began before it") {
  MemorySource source;
  MemorySink sink;
  region_with_late_ends(source);
  auto& master = source.channel(0);
  // The routine's clock was read at 30, then its thread waited from 32 to 36.
  master.insert(master.begin() + 3, {ring_wait(32, 36), mutex_acquire(30, mutex_kind::lock, 0x77, 0x2000),
                                     mutex_acquired(37, mutex_kind::lock, 0x77, 0x2000),
                                     mutex_released(38, mutex_kind::lock, 0x77, 0x2010)});
  const auto report = run(source, sink);
  CHECK(report.repairs.empty());
}
