// SPDX-License-Identifier: BSD-3-Clause
// What the events of all threads say together, and what is taken out of the tables where they contradict each other.
#include "catch.hpp"
#include "support/memory_trace.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/resolve/dry_run.hpp"
#include "tracer/translate/resolve/relations.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::translate;

namespace {

constexpr ParallelId region = make_id(0, 1), second = make_id(0, 2);
constexpr TaskId task = make_id(0, 3), other_task = make_id(0, 4);
constexpr CommRef team = 0, other_team = 1;

/// Two regions of two threads, each its own communicator, and two tasks of the first one's master.
struct TwoRegions : Tables {
  TwoRegions();
};

TwoRegions::TwoRegions() {
  Tables& tables = *this;
  tables.channels.resize(2);
  tables.plans.resize(2);
  tables.location_of = tables.channel_of = {0, 1};
  tables.root_comm = {undefined_ref, undefined_ref};
  tables.regions =
      std::make_unique<RegionTable>(std::vector<RegionKey>{}, std::vector<std::uint32_t>{}, std::vector<Region>{});
  ChannelScan& master = tables.channels[0];
  for (const ParallelId id : {region, second}) {
    ParallelInstance p;
    p.id = id;
    p.size = 2;
    p.comm = id == region ? team : other_team;
    p.members = static_cast<std::uint32_t>(tables.members.size());
    const auto index = static_cast<std::uint32_t>(master.parallels.size());
    master.entities.set(counter_of(id), {index, none});
    master.parallels.push_back(p);
    for (const ChannelId c : {0u, 1u}) {
      tables.channels[c].implicits.emplace_back().parallel = id;
      tables.members.push_back({c, index});
    }
  }
  for (const TaskId id : {task, other_task}) master.entities.set(counter_of(id), {0, 0});
  tables.task_begins = {{never, never, never, 20, 20}, {}};
}

Definitions definitions_of_two() {
  Definitions definitions;
  definitions.groups = {{"team", GroupKind::comm_group, Paradigm::openmp, {0, 1}}};
  definitions.comms = {{"team", 0, undefined_ref}, {"other", 0, undefined_ref}};
  return definitions;
}

Event event(Nanoseconds time, EventType type, std::uint32_t ref, std::uint64_t id) {
  return {time, type, 0, 0, ref, 0, id};
}
using Events = std::vector<Event>;

const Events master_of_one{event(10, EventType::thread_fork, 0, region), event(11, EventType::team_begin, team, region),
                           event(30, EventType::team_end, team, 0), event(40, EventType::thread_join, 0, 0)};

Events worker_between(Nanoseconds begin, Nanoseconds end) {
  return {event(begin, EventType::team_begin, team, region), event(end, EventType::team_end, team, 0)};
}

Events with(Events events, const Events& more) {
  events.insert(events.begin() + 2, more.begin(), more.end());
  return events;
}

void tell(Relations& relations, const Events& master, const Events& worker) {
  const auto first = relations.open(0), last = relations.open(1);
  last->write(worker, {});
  first->write(master, {});
  first->close();
  last->close();
}

struct Told {
  TwoRegions tables;
  Relations relations{tables};
  Told(const Events& master, const Events& worker) { tell(relations, master, worker); }
};

}  // namespace

TEST_CASE("a team holds whose members are in it once between fork and join") {
  CHECK(Told(master_of_one, worker_between(12, 35)).relations.broken_teams().empty());
  CHECK(Told(master_of_one, worker_between(10, 40)).relations.broken_teams().empty());
}

TEST_CASE("a team is broken that a member begins too early, ends too late, twice or never") {
  const std::vector<ParallelId> broken{region};
  CHECK(Told(master_of_one, worker_between(9, 35)).relations.broken_teams() == broken);
  CHECK(Told(master_of_one, worker_between(12, 41)).relations.broken_teams() == broken);
  CHECK(Told(master_of_one, {}).relations.broken_teams() == broken);
  Events twice = worker_between(12, 20);
  for (const Event& e : worker_between(21, 30)) twice.push_back(e);
  CHECK(Told(master_of_one, twice).relations.broken_teams() == broken);
  CHECK(Told({}, worker_between(12, 35)).relations.broken_teams() == broken);
  CHECK(Told(master_of_one, {event(12, EventType::team_begin, team, region)}).relations.broken_teams() == broken);
}

TEST_CASE("a fork whose thread begins another team is broken, and so is that one") {
  Events master = master_of_one;
  master[1] = event(11, EventType::team_begin, other_team, second);
  CHECK(Told(master, {}).relations.broken_teams() == std::vector<ParallelId>{region, second});
}

TEST_CASE("a task holds that is created, begun and completed in this order before the join") {
  const Events whole{event(12, EventType::task_create, team, task), event(12, EventType::task_switch, team, task),
                     event(13, EventType::task_complete, team, task), event(13, EventType::task_switch, team, 0)};
  CHECK(Told(with(master_of_one, whole), worker_between(12, 35)).relations.broken_tasks().empty());
}

TEST_CASE("a task is broken that begins before it is created, completes after the join, twice or never") {
  const auto broken = [](const Events& of_master, Events of_worker) {
    const Events around = worker_between(12, 35);
    of_worker.insert(of_worker.begin(), around.begin(), around.end());
    return Told(with(master_of_one, of_master), of_worker).relations.broken_tasks();
  };
  const std::vector<TaskId> one{task};
  const Event created = event(20, EventType::task_create, team, task);
  const auto runs = [](Nanoseconds begin, Nanoseconds end) {
    return Events{event(begin, EventType::task_switch, team, task), event(end, EventType::task_complete, team, task)};
  };
  CHECK(broken({created}, runs(19, 22)) == one);
  CHECK(broken({created}, runs(20, 22)).empty());
  CHECK(broken({created}, runs(21, 41)) == one);
  CHECK(broken({created}, runs(21, 40)).empty());
  CHECK(broken({created}, {}) == one);
  CHECK(broken({}, runs(21, 22)) == one);
  Events again = runs(21, 22);
  for (const Event& e : runs(23, 24)) again.push_back(e);
  CHECK(broken({created}, again) == one);
  CHECK(broken({created, event(25, EventType::task_switch, team, task)}, runs(21, 22)) == one);
}

TEST_CASE("a team that contradicts itself is left to its forking thread, and left out when that does not help") {
  TwoRegions tables;
  Definitions definitions = definitions_of_two();
  Repairs repairs;
  int runs = 0;
  dry_run(tables, definitions, repairs, [&](const auto& open) {
    const auto location = open(0);
    const ParallelInstance& p = *tables.parallel(region);
    CHECK(p.size == (runs == 0 ? 2 : runs == 1 ? 1 : 0));
    CHECK((runs != 1 || p.comm == definitions.comms.size() - 1));
    if (runs++ < 2) location->write(Events{event(10, EventType::thread_fork, 0, region)}, {});
    location->close();
  });
  CHECK(runs == 3);
  CHECK(tables.channels[1].implicits[0].parallel == no_id);
  CHECK(tables.channels[1].implicits[1].parallel == second);
  CHECK(definitions.groups.at(definitions.comms.at(tables.root_comm[1]).group).members ==
        std::vector<std::uint32_t>{1});
  CHECK(repairs.by_name().size() == 2);
}

TEST_CASE("a task that contradicts itself never begins") {
  TwoRegions tables;
  tables.plans[0].unstarted = {{0, other_task}};
  tables.plans[1].migrations = {{20, task, true}};
  Definitions definitions = definitions_of_two();
  Repairs repairs;
  int runs = 0;
  dry_run(tables, definitions, repairs, [&](const auto& open) {
    const auto location = open(1);
    if (runs++ == 0) location->write(Events{event(10, EventType::task_switch, team, task)}, {});
    location->close();
  });
  CHECK(runs == 2);
  CHECK(tables.task_begins[0][counter_of(task)] == 0);
  CHECK(tables.task_begins[0][counter_of(other_task)] == 20);
  CHECK(tables.plans[0].unstarted.size() == 1);
  CHECK(tables.plans[1].migrations.empty());
  CHECK(repairs.by_name().size() == 1);
}

TEST_CASE("what contradicts itself whatever is taken out is left out, all of it") {
  TwoRegions tables;
  Definitions definitions = definitions_of_two();
  Repairs repairs;
  int runs = 0;
  dry_run(tables, definitions, repairs, [&](const auto& open) {
    const auto location = open(1);
    location->write(Events{event(10, EventType::task_switch, team, ++runs % 2 == 0 ? task : other_task)}, {});
    location->close();
  });
  CHECK(runs < 100);
  CHECK(tables.parallel(region)->size == 0);
  CHECK(tables.parallel(second)->comm == undefined_ref);
  CHECK(tables.task_begins[0][counter_of(task)] == 0);
}

namespace {

/// Says how often its records were asked for.
struct CountingSource final : TraceSource {
  const test::MemorySource& source;
  mutable int readings = 0;
  explicit CountingSource(const test::MemorySource& s) : source(s) {}
  const Journal& journal() const override { return source.journal(); }
  std::unique_ptr<RecordReader> records(ChannelId channel) const override {
    ++readings;
    return source.records(channel);
  }
  std::unique_ptr<DeviceReader> device_records() const override { return source.device_records(); }
};

int readings_of(const std::vector<Record>& records) {
  test::MemorySource source;
  source.channel(0) = records;
  source.journal_to_fill().run.main_thread_id = 100;
  source.journal_to_fill().ending = Ending::finalize;
  const CountingSource counting(source);
  test::MemorySink sink;
  translate::translate(counting, sink, {});
  return counting.readings;
}

}  // namespace

TEST_CASE("only where callbacks contradict each other are records read more than twice") {
  const auto rec = [](Ticks time, RecordKind kind, Endpoint endpoint, std::uint64_t b, std::uint64_t c) {
    return Record{time, kind, endpoint, 0, 1, b, c};
  };
  const Record fork = rec(10, RecordKind::parallel_begin, Endpoint::none, region, 0x1000);
  const Record begins = rec(20, RecordKind::implicit_task, Endpoint::begin, region, make_id(0, 2));
  const Record ends = rec(30, RecordKind::implicit_task, Endpoint::end, no_id, make_id(0, 2));
  const Record join = rec(40, RecordKind::parallel_end, Endpoint::none, region, 0x1000);
  CHECK(readings_of({fork, begins, ends, join}) == 2);
  CHECK(readings_of({fork, begins, join}) == 3);
}
