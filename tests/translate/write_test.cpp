// SPDX-License-Identifier: BSD-3-Clause
// The parts that write a location, each by itself: records in, events out.
#include <algorithm>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/resolve/resolve.hpp"
#include "tracer/translate/scan/scan.hpp"
#include "tracer/translate/write/fast_path.hpp"
#include "tracer/translate/write/record_events.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::translate;
using Lines = std::vector<std::string>;

namespace {

constexpr ParallelId region = make_id(0, 2);
constexpr TaskId initial = make_id(0, 1), master_task = make_id(0, 3), task = make_id(0, 4);

/// The tables of one thread's records, and the parts that write it.
struct Written {
  explicit Written(std::vector<Record> records) {
    source.channel(0) = std::move(records);
    tables.channels.push_back(scan_channel(*source.records(0), 0, {}));
    tables.plans.resize(1);
    define_locations(tables, source.journal(), sink.definitions);
    form_teams(tables, sink.definitions);
    order_locks(tables);
    follow_untied_tasks(tables);
    build_regions(tables, source.journal(), {});
    vocabulary = make_vocabulary(tables, source.journal(), sink.definitions);
    writer = sink.open(0);
    context.emplace(tables, source.journal(), vocabulary, clock, ChannelId{0}, *writer);
    events.emplace(*context);
  }
  /// Without what is due before each.
  Written& write(const std::vector<Record>& records) {
    for (const Record& r : records) events->write(r, r.time);
    return *this;
  }
  Lines lines() {
    context->out.flush();
    sink.definitions.regions = tables.regions->used();
    return sink.text(0);
  }
  std::uint64_t repaired(Repair repair) const { return context->repairs[repair]; }
  std::vector<std::uint64_t> values(Attribute attribute) {
    context->out.flush();
    std::vector<std::uint64_t> values;
    for (const EventAttribute& a : sink.locations[0].attributes)
      if (a.attribute == vocabulary[attribute]) values.push_back(a.value);
    return values;
  }

  MemorySource source;
  MemorySink sink;
  Tables tables;
  Vocabulary vocabulary;
  ClockFit clock{source.journal().run.clock, source.journal().clock};
  std::unique_ptr<LocationWriter> writer;
  std::optional<WriteContext> context;
  std::optional<RecordEvents> events;
};

const std::vector<Record> in_a_team{initial_task_begin(1, initial), parallel_begin(10, region, 1),
                                    implicit_task_begin(20, region, master_task, 0, 1)};

std::vector<Record> with(std::vector<Record> records, std::initializer_list<Record> more) {
  records.insert(records.end(), more);
  return records;
}

constexpr const char* barrier_name = "!$omp barrier @0x1000";

}  // namespace

TEST_CASE("a region's end ends what is open inside it and counts it") {
  Repairs repairs;
  RegionStack open;
  open.push({0, Construct::task, false, 1});
  open.push({0, Construct::taskgroup, false, 1});
  open.push({0, Construct::critical, false, 1});
  CHECK(open.ended_by(repairs, Construct::critical, false) == 1);
  CHECK(repairs[Repair::region_closed_by_outer_end] == 0);
  CHECK(open.ended_by(repairs, Construct::taskgroup, false) == 2);
  CHECK(repairs[Repair::region_closed_by_outer_end] == 1);
  CHECK(repairs[Repair::end_without_begin] == 0);
}

TEST_CASE("no end reaches over the region of its task") {
  Repairs repairs;
  RegionStack open;
  open.push({0, Construct::barrier, false, 1});
  open.push({0, Construct::task, false, 1});
  CHECK(open.ended_by(repairs, Construct::barrier, false) == 0);
  CHECK(open.ended_by(repairs, Construct::task, false) == 0);
  CHECK(repairs[Repair::end_without_begin] == 2);
  CHECK(RegionStack().ended_by(repairs, Construct::barrier, false) == 0);
  CHECK(repairs[Repair::end_without_begin] == 3);
}

TEST_CASE("a single whose end GCC's code never tells is closed and not counted") {
  Repairs repairs;
  RegionStack open;
  open.push({0, Construct::single, false, 1});
  open.push({0, Construct::barrier, false, 1});
  CHECK(open.closed(repairs, 0, Repair::region_closed_by_team_end) == 2);
  CHECK(repairs[Repair::region_closed_by_team_end] == 1);
  CHECK(open.closed(repairs, 2, Repair::region_closed_by_team_end) == 0);
  CHECK(open.closed(repairs, 5, Repair::region_closed_by_team_end) == 0);
}

TEST_CASE("a thread between a fork and its part of the team is at a boundary, and so is one before the join") {
  const ImplicitInstance instance{};
  const ParallelInstance team{};
  Nest nest(undefined_ref);
  CHECK_FALSE(nest.is_at_team_boundary());
  nest.forks.push_back({region, &team});
  CHECK(nest.is_at_team_boundary());
  CHECK(nest.is_outside_forked_team());
  nest.forks.back().entered = true;
  nest.push(&instance, &team, nest.forks.size());
  nest.parts.back().own = true;
  CHECK_FALSE(nest.is_at_team_boundary());
  CHECK_FALSE(nest.is_outside_forked_team());
  nest.pop();
  CHECK(nest.is_at_team_boundary());
}

TEST_CASE("the parts around which a task was hold on to what is around it when it is gone") {
  const ImplicitInstance instance{};
  Nest nest(undefined_ref);
  TaskState gone;
  nest.current = &gone;
  nest.push(&instance, nullptr, 0);
  CHECK(nest.encounters_team(gone));
  nest.replace(gone);
  CHECK_FALSE(nest.encounters_team(gone));
  nest.pop();
  CHECK(nest.current == &nest.base);
}

TEST_CASE("a part ends with its team or with the one around it, whichever is first") {
  ImplicitInstance worker{};
  worker.rank = 1;
  ParallelInstance outer{}, inner{};
  outer.limit = 50;
  inner.limit = 70;
  Nest nest(undefined_ref);
  CHECK(nest.limit() == never);
  nest.push(&worker, &outer, 0);
  nest.push(&worker, &inner, 0);
  CHECK(nest.limit() == 50);
}

TEST_CASE("an untied task leaves and arrives when it was decided") {
  const TaskId untied = task | untied_bit;
  Plan plan;
  plan.migrations = {{10, untied, false}, {30, untied, true}};
  plan.unreported_ends = {{untied, 25}, {untied, 90}};
  UntiedTasks tasks(plan);
  CHECK_FALSE(tasks.migrates(10, task, false));  // a tied one never does
  CHECK(tasks.migrates(10, untied, false));
  CHECK_FALSE(tasks.migrates(20, untied, true));
  CHECK(tasks.migrates(30, untied, true));
  CHECK(tasks.unreported_end(untied, 30) == 90);
  CHECK(tasks.unreported_end(untied, 91) == never);
}

TEST_CASE("a task is named by its number in its team") {
  Written run(with(in_a_team, {task_create(30, task, master_task)}));
  const TaskName name = run.events->names.of(task);
  CHECK(name.comm != undefined_ref);
  CHECK(name.generation == counter_of(task) - counter_of(master_task));
  CHECK(run.events->names.region(task).construct == Construct::task);
  CHECK(run.events->names.region(make_id(0, 999)).construct == Construct::count_);
}

TEST_CASE("what records like the last ones did is written at once, until something else is due") {
  const Record begin = sync_begin(30, sync_kind::barrier_explicit), end = sync_end(31, sync_kind::barrier_explicit);
  Written run(with(in_a_team, {begin, end}));
  run.write(in_a_team);
  FastPath fast;
  CHECK_FALSE(fast.has_action(begin));
  for (const Record& r : {begin, end}) {
    const Site* site = run.events->write(r, r.time);
    REQUIRE(site != nullptr);
    fast.learn(r, *site);
  }
  CHECK(fast.has_action(begin));
  const std::vector<Record> more{sync_begin(40, sync_kind::barrier_explicit), sync_end(41, sync_kind::barrier_explicit),
                                 sync_begin(50, sync_kind::barrier_explicit)};
  RegionStack& open = run.events->nest.current->open;
  CHECK(fast.write(more, 50, run.clock, open, run.context->out) == 2);
  CHECK(fast.write(more, 41, run.clock, open, run.context->out) == 1);
  CHECK(open.inner_construct() == Construct::barrier);
  open.pop();
  open.push({0, Construct::single_sblock, false, 0});
  CHECK(fast.write(more, never, run.clock, open, run.context->out) == 0);
  open.pop();
  const std::vector<Record> elsewhere{sync_begin(60, sync_kind::barrier_explicit, no_id, 0x2000)};
  CHECK(fast.write(elsewhere, never, run.clock, open, run.context->out) == 0);
}

TEST_CASE("a task's creation waits for its dependences, and has the runtime's flags") {
  constexpr std::uint16_t in = 1;
  constexpr std::uint32_t flags = 0x6000004;  // explicit, importing, exporting
  const std::vector<Record> created{task_create(30, task, master_task, somewhere, flags),
                                    dependence(30, in, task, 0xa0, 0, 2), dependence(30, in, task, 0xb0, 1, 2)};
  std::vector<Record> all = in_a_team;
  all.insert(all.end(), created.begin(), created.end());
  Written run(all);
  run.write(all);
  TaskCreation& creation = run.events->creation;
  CHECK(creation.is_pending());
  CHECK(creation.may_have(created[1]));
  CHECK_FALSE(creation.may_have(sync_begin(40, sync_kind::taskwait)));
  creation.write();
  CHECK_FALSE(creation.is_pending());
  CHECK(run.values(Attribute::task_id) == std::vector<std::uint64_t>{task});
  CHECK(run.values(Attribute::task_flags) == std::vector<std::uint64_t>{flags});
  std::vector<std::uint64_t> addresses;
  for (const EventAttribute& a : run.sink.locations[0].attributes)
    for (const std::uint32_t ref : run.vocabulary.dependences[in])
      if (a.attribute == ref) addresses.push_back(a.value);
  CHECK(addresses == std::vector<std::uint64_t>{0xa0, 0xb0});
  run.write({dependence(50, in, task, 0xc0)});
  CHECK(run.repaired(Repair::dependences_of_no_task) == 1);
}

TEST_CASE("a task begins where it is switched to first, and completes with what it left open") {
  const std::vector<Record> runs{
      task_create(30, task, master_task), task_switch(40, task_status::switched, master_task, task),
      sync_begin(45, sync_kind::taskwait, task), task_switch(50, task_status::complete, task, master_task)};
  std::vector<Record> all = in_a_team;
  all.insert(all.end(), runs.begin(), runs.end());
  Written run(all);
  run.write(in_a_team);
  const std::size_t before = run.lines().size();
  run.write({runs.begin() + 1, runs.end()});
  const Lines lines = run.lines();
  CHECK(Lines(lines.begin() + static_cast<std::ptrdiff_t>(before), lines.end()) ==
        Lines{"40 task_switch 0.1", "40 enter !$omp task @0x1000", "45 enter !$omp taskwait @0x1000",
              "50 leave !$omp taskwait @0x1000", "50 leave !$omp task @0x1000", "50 task_complete 0.1",
              "50 task_switch 0.0"});
  CHECK(run.repaired(Repair::region_closed_by_task_end) == 1);
}

TEST_CASE("a task that nobody created is not run") {
  Written run(in_a_team);
  run.write(in_a_team).write({task_switch(40, task_status::switched, master_task, make_id(0, 77))});
  CHECK(run.repaired(Repair::switch_to_task_elsewhere) == 1);
  CHECK(run.events->nest.current->id == master_task);
  // A taskgroup's replay: its tasks have no numbers at all.
  run.write({task_switch(50, task_status::switched, master_task, no_id),
             task_switch(60, task_status::complete, no_id, master_task)});
  CHECK(run.repaired(Repair::task_without_creation) == 1);
  CHECK(run.events->nest.current->id == master_task);
}

TEST_CASE("a lock routine without an acquisition behind it was a test that failed") {
  const Record set = mutex_acquire(30, mutex_kind::lock, 0x70), got = mutex_acquired(31, mutex_kind::lock, 0x70),
               released = mutex_released(35, mutex_kind::lock, 0x70);
  Written run(with(in_a_team, {set, got, released, mutex_acquire(40, mutex_kind::lock, 0x70)}));
  run.write(in_a_team);
  LockEvents& locks = run.events->locks;
  locks.mutex(set, 30);
  REQUIRE(locks.is_pending());
  locks.resolve(got);
  locks.mutex(got, 31);
  locks.mutex(released, 35);
  locks.mutex(mutex_acquire(40, mutex_kind::lock, 0x70), 40);
  locks.resolve(sync_begin(41, sync_kind::taskwait));
  const Lines lines = run.lines();
  CHECK(Lines(lines.end() - 8, lines.end()) ==
        Lines{"30 enter omp_set_lock @0x1000", "31 acquire 0.1", "31 leave omp_set_lock @0x1000",
              "35 enter omp_unset_lock @0x1000", "35 release 0.1", "35 leave omp_unset_lock @0x1000",
              "40 enter omp_test_lock @0x1000", "40 leave omp_test_lock @0x1000"});
}

TEST_CASE("an acquisition whose release no record tells is released once, when it is said so") {
  const std::vector<Record> held{mutex_acquire(30, mutex_kind::critical, 0x70),
                                 mutex_acquired(31, mutex_kind::critical, 0x70)};
  std::vector<Record> all = in_a_team;
  all.insert(all.end(), held.begin(), held.end());
  Written run(all);
  run.write(in_a_team);
  LockCourse& course = run.events->locks.course();
  const ImpliedRelease* implied = course.next_implied();
  REQUIRE(implied != nullptr);
  CHECK(implied->time == never);
  CHECK_FALSE(course.is_after_acquisition(*implied));
  run.write(held);
  CHECK(course.is_after_acquisition(*implied));
  run.events->locks.write_implied(90, Repair::lock_released_at_end_of_trace);
  CHECK(run.lines().back() == "90 release 0.1");
  CHECK(run.repaired(Repair::lock_released_at_end_of_trace) == 1);
  CHECK(course.next_implied() == nullptr);
}

TEST_CASE("an operation of a target construct has its number and its place") {
  const Record first = data_op_begin(35, data_op::to_device, 9, 4096), more = data_op_more(0xaa, 0xbb);
  Written run(with(in_a_team, {target_begin(30, target_kind::target, 5), first, more}));
  run.write(in_a_team).write({target_begin(30, target_kind::target, 5), first});
  TargetEvents& targets = run.events->targets;
  CHECK(targets.awaits_more());
  const Record taken = targets.take_first();
  CHECK(taken.b == 9);
  CHECK_FALSE(targets.awaits_more());
  targets.pair(taken, more, 35);
  CHECK(run.values(Attribute::target_id) == std::vector<std::uint64_t>{5, 5});
  CHECK(run.values(Attribute::data_bytes) == std::vector<std::uint64_t>{4096});
  CHECK(run.values(Attribute::source_address) == std::vector<std::uint64_t>{0xaa});
  run.write({target_end(50, target_kind::target, 5)});
  CHECK(run.lines().back() == "50 leave !$omp target @0x1000");
  CHECK(run.repaired(Repair::region_closed_by_outer_end) == 1);  // the copy's own end did not come
}

TEST_CASE("a barrier ends a single whose end GCC's code never tells") {
  const Record single = work_begin(30, work_type::single_executor),
               barrier = sync_begin(40, sync_kind::barrier_explicit);
  Written run(with(in_a_team, {single, barrier}));
  run.write(in_a_team).write({single, barrier});
  const Lines lines = run.lines();
  CHECK(Lines(lines.end() - 3, lines.end()) == Lines{"40 leave !$omp single sblock @0x1000",
                                                     "40 leave !$omp single @0x1000",
                                                     std::string("40 enter ") + barrier_name});
}

TEST_CASE("a section outside sections is left out") {
  Written run(in_a_team);
  run.write(in_a_team).write({dispatched(30, dispatch_kind::section, 0x5000)});
  CHECK(run.repaired(Repair::section_outside_sections) == 1);
}

TEST_CASE("a fork, its team and the join are one behind the other") {
  const std::vector<Record> ends{implicit_task_end(40, master_task), parallel_end(45, region)};
  std::vector<Record> all = in_a_team;
  all.insert(all.end(), ends.begin(), ends.end());
  Written run(all);
  run.write(all);
  CHECK(run.lines() == Lines{"10 fork 1", "20 team_begin 0", "20 enter !$omp parallel @0x1000",
                             "40 leave !$omp parallel @0x1000", "40 team_end 0", "45 join"});
  run.write({parallel_end(50, region)});
  CHECK(run.repaired(Repair::second_end_of_parallel) == 1);
}

TEST_CASE("a thread that goes on behind its fork is in its team from there") {
  const std::vector<Record> fork{initial_task_begin(1, initial), parallel_begin(10, region, 1)};
  const Record barrier = sync_begin(30, sync_kind::barrier_explicit);
  Written run(with(fork, {barrier}));
  run.write(fork);
  REQUIRE(run.events->nest.is_at_team_boundary());
  run.events->course.teams.complete_boundary(barrier, 30);
  CHECK_FALSE(run.events->nest.is_at_team_boundary());
  CHECK(run.repaired(Repair::team_begin_of_master_supplied) == 1);
  CHECK(run.lines().back() == "30 enter !$omp parallel @0x1000");
}

TEST_CASE("an error that is said between a fork and its team stands in the region") {
  const std::vector<Record> fork{initial_task_begin(1, initial), parallel_begin(10, region, 1)};
  const Record begin = implicit_task_begin(20, region, master_task, 0, 1);
  Written run(with(fork, {error_directive(12), begin}));
  run.write(fork).write({error_directive(12)});
  CHECK(run.lines() == Lines{"10 fork 1"});
  run.write({begin});
  const Lines lines = run.lines();
  CHECK(Lines(lines.begin() + 1, lines.end()) == Lines{"20 team_begin 0", "20 enter !$omp parallel @0x1000",
                                                       "20 enter !$omp error @0x1000", "20 leave !$omp error @0x1000"});
}

TEST_CASE("each repair has a name of its own and says what it is") {
  std::map<std::string, int> names;
  for (const RepairRow& row : repair_table()) {
    CHECK(++names[row.name] == 1);
    CHECK(repairs_page().find("| `" + std::string(row.name) + "` | " + row.meaning) != std::string::npos);
  }
  Repairs repairs;
  repairs.note(Repair::event_moved, 3);
  CHECK(repairs.by_name() == std::map<std::string, std::uint64_t>{{"event moved behind its predecessor", 3}});
}
