// SPDX-License-Identifier: BSD-3-Clause
// The translator's own containers, held against the plain ones.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include "tracer/error.hpp"
#include "tracer/translate/pipelined_writer.hpp"
#include "tracer/translate/resolve/course/live_tasks.hpp"
#include "tracer/translate/resolve/lock_orders.hpp"
#include "tracer/translate/resolve/resolve.hpp"
#include "tracer/translate/resolve/tables.hpp"
#include "tracer/translate/scan/lock_log.hpp"
#include "tracer/translate/scan/untied_log.hpp"

using namespace tracer;
using namespace tracer::translate;

TEST_CASE("live tasks are found until they are erased, in any order") {
  struct State {
    TaskId id = no_id;
  };
  LiveTasks<State> tasks;
  std::map<TaskId, State*> expected;
  std::mt19937_64 random(3);
  bool right = true;
  for (int i = 0; i < 20'000; ++i) {
    const TaskId id = make_id(static_cast<ChannelId>(random() % 3), 1 + random() % 300);
    const auto found = expected.find(id);
    right = right && tasks.find(id) == (found == expected.end() ? nullptr : found->second);
    if (found == expected.end()) {
      State& state = tasks.add(id);
      state.id = id;
      expected[id] = &state;
    } else if (random() % 2) {
      tasks.erase(id);
      expected.erase(found);
    }
  }
  std::size_t count = 0;
  tasks.for_each([&](TaskId id, const State& state) {
    right = right && expected.at(id) == &state && state.id == id;
    ++count;
  });
  CHECK(right);
  CHECK(count == expected.size());
  for (const auto& [id, state] : expected) tasks.erase(id);
  CHECK(tasks.empty());
}

namespace {

struct Written {
  std::vector<Nanoseconds> times;
  std::size_t attributes = 0;
  bool closed = false;
};

struct PlainWriter final : LocationWriter {
  PlainWriter(Written& written, std::size_t fails_at) : out(written), limit(fails_at) {}
  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override {
    for (const Event& event : events) out.times.push_back(event.time);
    out.attributes += attributes.size();
    if (out.times.size() > limit) throw Error("the disk is full");
  }
  void close() override { out.closed = true; }
  Written& out;
  std::size_t limit;
};

Event event_at(Nanoseconds time) {
  return {time, EventType::enter, 1, 0, 0, 0, 0};
}

}  // namespace

TEST_CASE("a pipelined writer hands over everything in order, and closes") {
  Written written;
  const auto writer = make_pipelined(std::make_unique<PlainWriter>(written, ~std::size_t{0}));
  const EventAttribute attribute{0, 1};
  for (Nanoseconds t = 0; t < 1000; ++t) {
    const Event event = event_at(t);
    writer->write({&event, 1}, {&attribute, 1});
  }
  writer->close();
  REQUIRE(written.times.size() == 1000);
  CHECK(std::is_sorted(written.times.begin(), written.times.end()));
  CHECK(written.attributes == 1000);
  CHECK(written.closed);
}

TEST_CASE("what fails behind a pipelined writer is thrown in front of it") {
  Written written;
  const auto writer = make_pipelined(std::make_unique<PlainWriter>(written, 100));
  const auto write_all = [&] {
    for (Nanoseconds t = 0; t < 100'000; ++t) {
      const Event event = event_at(t);
      writer->write({&event, 1}, {});
    }
    writer->close();
  };
  CHECK_THROWS_AS(write_all(), Error);
  CHECK(written.times.size() == 101);
  CHECK_FALSE(written.closed);
}

TEST_CASE("a pipelined writer that is dropped leaves its inner one unclosed") {
  Written written;
  {
    const auto writer = make_pipelined(std::make_unique<PlainWriter>(written, ~std::size_t{0}));
    const Event event = event_at(1);
    writer->write({&event, 1}, {});
  }
  CHECK_FALSE(written.closed);
}

TEST_CASE("operations on locks are read as they were logged") {
  struct Logged {
    Ticks time;
    std::uint64_t address;
    LockStep step;
    Ticks since;
  };
  std::mt19937_64 random(7);
  std::vector<Logged> expected;
  LockLog log;
  Ticks time = 1'000'000'000'000, before = 0;
  for (int i = 0; i < 100'000; ++i) {
    time += random() % 8 == 0 ? random() % 100'000'000 : random() % 300;
    const auto step = static_cast<LockStep>(random() % 4);
    const std::uint64_t address = 0x7f0000000000 + 8 * (random() % 50 == 0 ? random() % 5000 : random() % 2);
    const Ticks since = random() % 400;
    expected.push_back(
        {time, address, step, step == LockStep::released ? std::min(since, time - before) : time - before});
    log.add(time, address, step, since);
    before = time;
  }
  REQUIRE(log.count() == expected.size());
  const std::vector<std::uint64_t> addresses = log.addresses();
  LockLog::Consumer consumer{log};
  LockLog::Operation operation;
  bool right = true;
  for (const Logged& e : expected) {
    right = right && consumer.next(operation) && operation.time == e.time &&
            addresses.at(operation.lock) == e.address && operation.step == e.step && operation.since == e.since;
  }
  CHECK(right);
  CHECK_FALSE(consumer.next(operation));
}

TEST_CASE("what is taken back from the order of a lock has none") {
  std::mt19937_64 random(11);
  std::vector<LockOperation> expected;
  LockOrders orders;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    expected.push_back({static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 1000),
                        random() % 10 == 0 ? random() % 5000 : 0});
    orders.add(expected.back());
  }
  for (int n = 0; n < 500; ++n) {
    const auto i = static_cast<std::uint32_t>(random() % expected.size());  // some of them twice
    orders.take_back(i);
    expected[i].order = 0;
  }
  orders.finish();
  for (int twice = 0; twice < 2; ++twice) {
    LockOrders::Reader reader{orders};
    LockOperation operation;
    bool right = true;
    for (const LockOperation& e : expected)
      right = right && reader.next(operation) && operation.is_of(e) && operation.moved == e.moved;
    CHECK(right);
    CHECK_FALSE(reader.next(operation));
  }
}

namespace {

/// As Tables::paused(), by looking at each toggle.
bool is_paused(const std::vector<Toggle>& toggles, Ticks from, Ticks to) {
  bool on = true;
  for (const Toggle& t : toggles) {
    if (t.time > to) break;
    if (t.time > from && t.recording && !on) return false;
    on = t.recording;
    if (t.time > from && !on) return false;
  }
  return !on;
}

}  // namespace

TEST_CASE("whether recording was off from one time to another is found among any number of pauses") {
  std::mt19937_64 random(5);
  std::size_t off = 0, wrong = 0;
  for (int round = 0; round < 200; ++round) {
    Tables tables;
    Ticks time = random() % 5;
    for (std::uint64_t n = random() % 12; n != 0; --n) {
      tables.toggles.push_back({time, tables.toggles.size() % 2 == 1});
      time += random() % 4;  // some in one tick
    }
    for (Ticks from = 0; from < 40; ++from)
      for (Ticks to = from; to < 40; ++to) {
        const bool expected = is_paused(tables.toggles, from, to);
        off += expected;
        wrong += tables.paused(from, to) != expected;
      }
  }
  CHECK(off > 0);
  CHECK(wrong == 0);
}

TEST_CASE("switches of untied tasks are read as they were logged, in a few bytes where tasks run once") {
  std::mt19937_64 random(13);
  std::vector<UntiedLog::Switch> expected;
  UntiedLog log;
  Ticks time = 1'000'000'000'000;
  for (int i = 0; i < 50'000; ++i) {
    time += random() % 8 == 0 ? random() % 100'000'000 : random() % 300;
    const TaskId task = make_id(static_cast<ChannelId>(random() % 3), 1 + random() % 300) | untied_bit;
    expected.push_back({task, time, static_cast<UntiedLog::Does>(random() % 3)});
    log.add(task, time, expected.back().does);
  }
  REQUIRE(log.count() == expected.size());
  std::size_t at = 0;
  bool right = true;
  log.for_each([&](const UntiedLog::Switch& one) {
    const UntiedLog::Switch& e = expected[at++];
    right = right && one.task == e.task && one.time == e.time && one.does == e.does;
  });
  CHECK(right);
  CHECK(at == expected.size());
}

TEST_CASE("of untied tasks only those that were interrupted, or ended twice, are followed") {
  const bool twice = GENERATE(false, true);
  constexpr TaskId moved = make_id(0, 1) | untied_bit;
  const auto whole = [](ChannelScan& scan, std::uint64_t counter, Ticks time) {
    scan.untied.add(make_id(0, counter) | untied_bit, time, UntiedLog::resumes);
    scan.untied.add(make_id(0, counter) | untied_bit, time + 1, UntiedLog::completes);
    ++scan.tasks_ended;
  };
  Tables tables;
  tables.channels.resize(2);
  tables.plans.resize(2);
  ChannelScan &first = tables.channels[0], &second = tables.channels[1];
  first.sites.push_back({0x10, Construct::task_untied, false, 0});
  for (std::uint64_t counter = 1; counter <= 1000; ++counter) first.entities.set(counter, {none, 0});
  first.kinds[static_cast<std::size_t>(RecordKind::task_create)] = 1000;
  first.untied.add(moved, 10, UntiedLog::resumes);
  first.untied.add(moved, 20, UntiedLog::suspends);
  for (std::uint64_t counter = 2; counter <= 1000; ++counter) whole(first, counter, 20 + 2 * counter);
  whole(second, 1, 30);
  if (twice) whole(second, 1000, 5000);
  follow_untied_tasks(tables);
  CHECK(first.untied.count() == 0);
  REQUIRE(tables.plans[0].migrations.size() == 1);
  CHECK(tables.plans[0].migrations[0].task == moved);
  CHECK(tables.plans[1].migrations.size() == 1);
  CHECK(tables.torn_tasks == (twice ? std::vector<TaskId>{make_id(0, 1000) | untied_bit} : std::vector<TaskId>{}));
}
