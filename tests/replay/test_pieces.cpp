// SPDX-License-Identifier: BSD-3-Clause
// The translator's own containers, held against the plain ones.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "catch.hpp"
#include "tracer/error.hpp"
#include "tracer/translate/live_tasks.hpp"
#include "tracer/translate/pipelined_writer.hpp"

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

Event event_at(Nanoseconds time) { return {time, EventType::enter, 1, 0, 0, 0, 0}; }

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
