// SPDX-License-Identifier: BSD-3-Clause
// What a flight recorder has left of a long run: ids count from the start of the run, and its first ones are large.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/scan/facts.hpp"
#include "tracer/translate/scan/task_counter.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::translate;

namespace {

std::uint64_t later(std::uint64_t id, std::uint64_t by) {
  return id == no_id ? id : id + by;
}

Record later(Record r, std::uint64_t by) {
  switch (r.kind) {
    case RecordKind::task_create:
      r.a += static_cast<std::uint32_t>(by);
      r.b = later(r.b, by);
      break;
    case RecordKind::parallel_begin:
    case RecordKind::parallel_end:
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
      r.b = later(r.b, by);
      break;
    default:
      r.b = later(r.b, by);
      r.c = later(r.c, by);
      break;
  }
  return r;
}

/// Two threads, a region, tasks that either runs, an untied one; every id by so much larger. `leaves_tasks`: one of
/// them never runs.
MemorySource region_with_tasks(std::uint64_t by, bool leaves_tasks) {
  constexpr ParallelId region = make_id(0, 2);
  constexpr TaskId master = make_id(0, 3), worker = make_id(1, 1), task = make_id(0, 4), second = make_id(1, 2);
  constexpr TaskId untied = make_id(0, 5) | untied_bit;
  constexpr std::uint16_t barrier = sync_kind::barrier_implicit_parallel;
  MemorySource source;
  source.channel(0) = {initial_task_begin(1, make_id(0, 1)),
                       parallel_begin(10, region, 2),
                       implicit_task_begin(20, region, master, 0, 2),
                       task_create(30, task, master, 0x2000),
                       task_create(31, make_id(0, 5), master, 0x2000, 0x10000004),
                       sync_begin(50, barrier, master),
                       task_switch(51, task_status::switched, master, second),
                       task_switch(52, task_status::complete, second, master),
                       sync_end(71, barrier, master),
                       implicit_task_end(72, master),
                       parallel_end(80, region),
                       initial_task_end(95, make_id(0, 1))};
  source.channel(1) = {implicit_task_begin(25, region, worker, 1, 2),
                       task_create(32, second, worker, 0x3000),
                       sync_begin(60, barrier, worker),
                       task_switch(62, task_status::switched, worker, task),
                       task_switch(65, task_status::complete, task, worker),
                       task_switch(66, task_status::switched, worker, untied),
                       task_switch(67, task_status::complete, untied, worker),
                       sync_end(71, barrier, worker),
                       implicit_task_end(72, worker, 1)};
  if (leaves_tasks) {
    auto& records = source.channel(1);
    records.erase(records.begin() + 3, records.begin() + 5);
  }
  for (const ChannelId c : {0u, 1u})
    for (Record& r : source.channel(c)) r = later(r, by);
  return source;
}

struct Translated {
  explicit Translated(const MemorySource& source) : report(translate::translate(source, sink, {})) {}
  MemorySink sink;
  TranslateReport report;
};

}  // namespace

TEST_CASE("ids that count from long before the trace name the same teams and tasks") {
  const bool leaves_tasks = GENERATE(false, true);
  // As of a new run; behind what a new run could have; beyond what a creation has room for, before and behind its end.
  const std::uint64_t by = GENERATE(values<std::uint64_t>(
      {std::uint64_t{1} << 27, (std::uint64_t{1} << 27) + 77, std::uint64_t{1} << 33, (std::uint64_t{1} << 33) - 4}));
  const Translated expected(region_with_tasks(0, leaves_tasks)), found(region_with_tasks(by, leaves_tasks));
  CAPTURE(by, leaves_tasks);
  for (const LocationRef location : {0u, 1u}) CHECK(found.sink.text(location) == expected.sink.text(location));
  CHECK(found.report.repairs == expected.report.repairs);
  CHECK(found.report.repairs.empty() != leaves_tasks);
}

TEST_CASE("an id that is too far from the first of its thread is counted, and takes no memory") {
  MemorySource source = region_with_tasks(std::uint64_t{1} << 27, false);
  auto& records = source.channel(0);
  records.insert(records.begin() + 11, {parallel_begin(82, make_id(0, std::uint64_t{1} << 38), 1),
                                        parallel_end(83, make_id(0, std::uint64_t{1} << 38))});
  const Translated found(source);
  CHECK(found.report.repairs.count("ids out of range") == 1);
}

TEST_CASE("behind lost records an id may be as far from the first as it likes") {
  const auto two_regions = [](std::uint64_t counter, bool is_lost) {
    constexpr std::uint64_t first = std::uint64_t{1} << 27;
    const auto region = [](Ticks time, std::uint64_t id) {
      return std::vector<Record>{parallel_begin(time, make_id(0, id), 1),
                                 implicit_task_begin(time + 1, make_id(0, id), make_id(0, id + 1), 0, 1),
                                 implicit_task_end(time + 2, make_id(0, id + 1)),
                                 parallel_end(time + 3, make_id(0, id))};
    };
    Record lost{};
    lost.kind = RecordKind::lost;
    lost.time = 40;
    lost.b = 1;
    MemorySource source;
    std::vector<Record> records{initial_task_begin(1, make_id(0, first))};
    for (const Record& r : region(10, first + 1)) records.push_back(r);
    if (is_lost) records.push_back(lost);
    for (const Record& r : region(50, counter)) records.push_back(r);
    records.push_back(initial_task_end(95, make_id(0, first)));
    source.channel(0) = records;
    return source;
  };
  const std::uint64_t near = (std::uint64_t{1} << 27) + 100, far = std::uint64_t{1} << 38;
  for (const bool is_lost : {true, false}) {
    const Translated expected(two_regions(near, is_lost)), found(two_regions(far, is_lost));
    CHECK(found.sink.text(0) == expected.sink.text(0));
    CHECK(found.report.repairs.count("ids out of range") == (is_lost ? 0 : 1));
  }
}

TEST_CASE("what ids name is found before the first that was told, too") {
  Entities entities;
  entities.set(1'000'000, {1, none});
  entities.set(7, {2, none});
  entities.set(1'000'001, {3, none});
  entities.set(5, {4, none});
  entities.set(7, {5, none});
  CHECK(entities.size() == 1'000'002);
  CHECK(entities.rows() < 300);
  CHECK(entities.get(7) == Entity{5, none});
  CHECK(entities.get(6) == Entity{});
  CHECK(entities.row(6) == Entities::no_row);
  CHECK(entities.row(1'000'002) == Entities::no_row);
  std::size_t row = 0;
  std::vector<std::uint64_t> told;
  entities.for_each([&](std::uint64_t counter, const Entity& entity) {
    CHECK(entities.row(counter) == row++);
    if (!(entity == Entity{})) told.push_back(counter);
  });
  CHECK(row == entities.rows());
  CHECK(told == std::vector<std::uint64_t>{1'000'000, 1'000'001, 7, 5});
}

TEST_CASE("the counter of a task is the nearest that ends as its creation says") {
  const auto first = [](std::uint64_t near, std::uint32_t low) { return TaskCounter(near).extend(low); };
  constexpr std::uint64_t whole = std::uint64_t{1} << 32;
  CHECK(first(0, 1) == 1);
  CHECK(first(1, 0xfffffff0) == 0xfffffff0);  // of a run that made no task before
  CHECK(first(2 * whole + 5, 7) == 2 * whole + 7);
  CHECK(first(2 * whole + 5, 0xfffffff0) == whole + 0xfffffff0);
  CHECK(first(2 * whole - 5, 7) == 2 * whole + 7);
  TaskCounter counter(0);
  for (const std::uint32_t low : {0x70000000u, 0xe0000000u}) counter.extend(low);
  CHECK(counter.extend(3) == whole + 3);
}
