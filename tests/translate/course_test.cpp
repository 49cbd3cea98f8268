// SPDX-License-Identifier: BSD-3-Clause
// What is decided along one thread: records in, steps out, with nothing written.
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/resolve/course/course.hpp"
#include "tracer/translate/resolve/course/lock_course.hpp"
#include "tracer/translate/resolve/resolve.hpp"
#include "tracer/translate/scan/scan.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::translate;
using Lines = std::vector<std::string>;

namespace {

constexpr ParallelId region = make_id(0, 2);
constexpr TaskId initial = make_id(0, 1), master_task = make_id(0, 3), task = make_id(0, 4),
                 worker_task = make_id(1, 1);

/// Whoever writes, in words.
class Steps final : public CourseListener {
 public:
  void forked(std::uint32_t threads, Nanoseconds t) override { say(t, "fork " + std::to_string(threads)); }
  void part_begun(const ParallelInstance* team, Nanoseconds t) override { say(t, team ? "team" : "no team"); }
  void team_ended(Part&, Nanoseconds t) override { say(t, "team end"); }
  void team_passed(const ParallelInstance&, Nanoseconds t) override { say(t, "team passed"); }
  void joined(const ParallelInstance&, Nanoseconds t) override { say(t, "join"); }
  void switched(const TaskName& to, Nanoseconds t) override { say(t, "switch " + std::to_string(to.generation)); }
  void task_begun(TaskState& begun, const RegionKey& key, Nanoseconds t) override {
    begun.open.push({0, key.construct, false, key.codeptr});
    say(t, "begin");
  }
  void completed(const TaskName& which, Nanoseconds t) override {
    say(t, "complete " + std::to_string(which.generation));
  }
  void left(RegionStack& open, std::size_t regions, Nanoseconds t) override {
    for (; regions != 0; --regions, open.pop()) say(t, "leave");
  }
  bool is_recording() const override { return true; }
  Nanoseconds last() const override { return last_; }

  Lines take() { return std::exchange(lines_, {}); }

 private:
  void say(Nanoseconds t, const std::string& what) {
    last_ = std::max(last_, t);
    lines_.push_back(std::to_string(t) + " " + what);
  }
  Lines lines_;
  Nanoseconds last_ = 0;
};

/// One of two threads, in the tables of both.
struct Followed {
  Followed(std::vector<Record> master, std::vector<Record> worker, ChannelId channel) {
    source.channel(0) = std::move(master);
    source.channel(1) = std::move(worker);
    for (ChannelId c = 0; c < 2; ++c) tables.channels.push_back(scan_channel(*source.records(c), c, {}));
    tables.plans.resize(2);
    Definitions definitions;
    define_locations(tables, source.journal(), definitions);
    form_teams(tables, definitions);
    order_locks(tables);
    follow_untied_tasks(tables);
    view.emplace(tables, clock, channel);
    nest.emplace(tables.root_comm[channel]);
    names.emplace(tables);
    course.emplace(*view, *nest, *names, steps);
  }
  void play(const Record& r) {
    const bool is_team = r.kind == RecordKind::parallel_begin || r.kind == RecordKind::parallel_end;
    if (r.kind == RecordKind::task_schedule) return course->tasks.schedule(r, r.time);
    is_team ? course->teams.parallel(r, r.time) : course->teams.part(r, r.time);
  }

  MemorySource source;
  Tables tables;
  ClockFit clock{source.journal().run.clock, source.journal().clock};
  Steps steps;
  std::optional<ChannelView> view;
  std::optional<Nest> nest;
  std::optional<TaskNames> names;
  std::optional<Course> course;
};

const std::vector<Record> master{initial_task_begin(1, initial),
                                 parallel_begin(10, region, 2),
                                 implicit_task_begin(20, region, master_task, 0, 2),
                                 task_create(30, task, master_task),
                                 implicit_task_end(72, master_task),
                                 parallel_end(80, region)};
const Record worker_begin = implicit_task_begin(25, region, worker_task, 1, 2);
const Record worker_end = implicit_task_end(500, worker_task, 1);

}  // namespace

TEST_CASE("a worker's end that is told late is meant for the time of its master's") {
  Followed run(master, {worker_begin, worker_end}, 1);
  CHECK(run.course->time_of(worker_end) == 500);  // it is in no team yet
  run.play(worker_begin);
  CHECK(run.steps.take() == Lines{"25 team"});
  CHECK(run.course->time_of(worker_end) == 72);
  CHECK(run.course->limit() == 72);
  CHECK(run.course->next_due() == 73);
  // What only the program's code does is done when it is told: the end before it was lost.
  CHECK(run.course->time_of(mutex_acquired(400, mutex_kind::lock, 0x70)) == 400);
  CHECK(run.course->time_of(sync_begin(400, sync_kind::barrier_explicit)) == 400);
}

TEST_CASE("the master's own records have their own times") {
  Followed run(master, {worker_begin, worker_end}, 0);
  for (std::size_t n = 0; n < 3; ++n) run.play(master[n]);
  CHECK(run.steps.take() == Lines{"1 no team", "10 fork 2", "20 team"});
  CHECK(run.course->time_of(implicit_task_end(500, master_task)) == 500);
  CHECK(run.course->next_due() == never);
}

TEST_CASE("a part that must have ended does so once, and its own end says nothing more") {
  Followed run(master, {worker_begin, worker_end}, 1);
  run.play(worker_begin);
  run.steps.take();
  run.course->teams.end_by_limit(run.course->limit());
  CHECK(run.steps.take() == Lines{"72 team end"});
  CHECK(run.course->limit() == never);
  run.play(worker_end);
  CHECK(run.steps.take() == Lines{});
  CHECK(run.nest->parts.empty());
}

TEST_CASE("a task is begun at the first switch to it, and completed with what is open in it") {
  Followed run(master, {worker_begin, worker_end}, 0);
  for (std::size_t n = 0; n < 3; ++n) run.play(master[n]);
  run.steps.take();
  run.play(task_switch(40, task_status::switched, master_task, task));
  CHECK(run.steps.take() == Lines{"40 switch 1", "40 begin"});
  run.nest->current->open.push({0, Construct::taskwait, false, 0});
  run.play(task_switch(50, task_status::complete, task, master_task));
  CHECK(run.steps.take() == Lines{"50 leave", "50 leave", "50 complete 1", "50 switch 0"});
  CHECK(run.view->repairs[Repair::region_closed_by_task_end] == 1);
}

TEST_CASE("a switch to what cannot run here is refused") {
  Followed run(master, {worker_begin, worker_end}, 0);
  for (std::size_t n = 0; n < 3; ++n) run.play(master[n]);
  run.steps.take();
  run.play(task_switch(40, task_status::switched, master_task, make_id(0, 77)));
  CHECK(run.view->repairs[Repair::switch_to_task_elsewhere] == 1);
  // Another thread began it, as was decided.
  run.tables.task_begins = {std::vector<Ticks>(run.tables.channels[0].entities.size(), 35), {}};
  run.play(task_switch(41, task_status::switched, master_task, task));
  CHECK(run.view->repairs[Repair::switch_to_task_elsewhere] == 2);
  CHECK(run.steps.take() == Lines{});
  CHECK(run.nest->current->id == master_task);
}

TEST_CASE("what the trace leaves open ends from within, tasks before their team") {
  const std::vector<Record> open(master.begin(), master.begin() + 4);
  Followed run(open, {}, 0);
  for (std::size_t n = 0; n < 3; ++n) run.play(open[n]);
  run.play(task_switch(40, task_status::switched, master_task, task));
  run.steps.take();
  const Nanoseconds end = run.course->end_all(90);
  const Lines lines = run.steps.take();
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].ends_with("leave"));
  CHECK(lines[1].ends_with("complete 1"));
  CHECK(lines[2].ends_with("switch 0"));
  CHECK(lines[3].ends_with("team end"));
  CHECK(lines[4].ends_with("join"));
  CHECK(end >= 90);
  CHECK(run.view->repairs[Repair::task_closed_by_team_end] == 1);
}

TEST_CASE("a worker between its teams shares no work, and a section needs its sections") {
  Repairs repairs;
  Nest nest(undefined_ref);
  CHECK(nest.takes_work(repairs));
  nest.kind = Nest::ThreadKind::worker;
  CHECK_FALSE(nest.takes_work(repairs));
  CHECK(repairs[Repair::worksharing_outside_teams] == 1);
  RegionStack open;
  CHECK_FALSE(open.takes_section(repairs));
  open.push({0, Construct::sections, false, 1});
  CHECK(open.takes_section(repairs));
  CHECK(repairs[Repair::section_outside_sections] == 1);
}

TEST_CASE("a release that comes when its lock was given on is none") {
  const Record got = mutex_acquired(31, mutex_kind::lock, 0x70), released = mutex_released(60, mutex_kind::lock, 0x70);
  Followed run({initial_task_begin(1, initial), got, released},
               {mutex_acquired(40, mutex_kind::lock, 0x70), mutex_released(50, mutex_kind::lock, 0x70)}, 0);
  LockCourse locks(*run.view);
  CHECK(locks.acquired().order == 1);
  REQUIRE(locks.next_implied() != nullptr);
  CHECK(locks.take_implied(Repair::lock_released_by_next_acquisition) == 1);
  CHECK(locks.released(true).order == 0);
  CHECK(run.view->repairs[Repair::release_without_acquisition] == 1);
}
