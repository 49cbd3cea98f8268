// SPDX-License-Identifier: BSD-3-Clause
// Events on their way to a location's writer: batches, their times and attributes, and pauses.
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tracer/translate/write/event_buffer.hpp"

using namespace tracer;
using namespace tracer::translate;
using Lines = std::vector<std::string>;

namespace {

/// "time type ref" and the attributes' values of each event.
struct Lister final : LocationWriter {
  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override {
    ++batches;
    for (const Event& e : events) {
      std::string line =
          std::to_string(e.time) + " " + std::to_string(static_cast<int>(e.type)) + " " + std::to_string(e.ref);
      for (const EventAttribute& a : attributes.first(e.attributes)) line += " " + std::to_string(a.value);
      attributes = attributes.subspan(e.attributes);
      lines.push_back(line);
    }
    all_taken = all_taken && attributes.empty();
  }
  void close() override {}
  Lines lines;
  std::size_t batches = 0;
  bool all_taken = true;
};

std::string line(Nanoseconds time, EventType type, std::uint32_t ref) {
  return std::to_string(time) + " " + std::to_string(static_cast<int>(type)) + " " + std::to_string(ref);
}

/// Two regions, which nothing has used yet.
struct Buffered {
  static constexpr RegionKey first{0x10, Construct::barrier, false, 0}, second{0x20, Construct::taskwait, false, 0};

  Lines flushed() {
    buffer.flush();
    return writer.lines;
  }
  Lister writer;
  RegionTable regions{{first, second}, {0, 1}, {Region{}, Region{}}};
  EventBuffer buffer{writer, regions, 0};
};

}  // namespace

TEST_CASE("events come to the writer in their order, each with its attributes, in batches of any size") {
  const std::uint64_t expected = GENERATE(0, 1, 100, 1'000'000);
  Lister writer;
  EventBatch batch(writer, expected);
  Lines lines;
  std::mt19937_64 random(expected);
  for (Nanoseconds t = 1; t <= 20'000; ++t) {
    std::string expected_line = line(t, EventType::enter, static_cast<std::uint32_t>(t % 7));
    for (std::uint64_t n = random() % 4; n > 1; --n) {
      batch.attribute({1, t * n});
      expected_line += " " + std::to_string(t * n);
    }
    batch.put(t, EventType::enter, 0, static_cast<std::uint32_t>(t % 7), 0, 0);
    lines.push_back(expected_line);
    if (t == 5'000) batch.flush();
  }
  CHECK(batch.count() == 20'000);
  batch.flush();
  CHECK(writer.lines == lines);
  CHECK(writer.all_taken);
  CHECK(writer.batches > 3);
  CHECK(batch.count() == 20'000);
  CHECK(batch.first() == 1);
  CHECK(batch.last() == 20'000);
  CHECK(batch.clamped() == 0);
}

TEST_CASE("an event that is older than the one before it has that one's time, and is counted") {
  Lister writer;
  EventBatch batch(writer, 2);
  batch.put(10, EventType::enter, 0, 0, 0, 0);
  batch.put(9, EventType::leave, 0, 0, 0, 0);
  batch.flush();
  CHECK(writer.lines == Lines{line(10, EventType::enter, 0), line(10, EventType::leave, 0)});
  CHECK(batch.clamped() == 1);
}

TEST_CASE("attributes whose event is left out go with it") {
  Lister writer;
  EventBatch batch(writer, 2);
  batch.attribute({1, 5});
  batch.forget_attributes();
  CHECK_FALSE(batch.has_attributes());
  batch.put(10, EventType::enter, 0, 0, 0, 0);
  batch.flush();
  CHECK(writer.lines == Lines{line(10, EventType::enter, 0)});
  CHECK(writer.all_taken);
}

TEST_CASE("what begins and ends in a pause is left out, and what it alone names is not used") {
  Buffered b;
  const RegionRef open = b.regions.use(b.first);
  b.buffer.enter(10, open);
  b.buffer.pause(20);
  const RegionRef inside = b.regions.defer(b.second);
  b.buffer.enter(30, inside);
  b.buffer.leave(40, inside);
  b.buffer.resume(50);
  b.buffer.leave(60, open);
  CHECK(b.flushed() == Lines{line(10, EventType::enter, open), line(20, EventType::measurement_on_off, 0),
                             line(50, EventType::measurement_on_off, 0), line(60, EventType::leave, open)});
  CHECK(b.regions.used().size() == 1);
}

TEST_CASE("what is open at a pause's end begins there, with its attributes") {
  Buffered b;
  b.buffer.enter(10, b.regions.use(b.first));
  b.buffer.pause(20);
  const RegionRef inside = b.regions.defer(b.second);
  REQUIRE(RegionTable::is_deferred(inside));
  b.buffer.attribute(1, 7);
  b.buffer.enter(30, inside);
  b.buffer.resume(50);
  b.buffer.leave(60, inside);
  CHECK(b.flushed() == Lines{line(10, EventType::enter, 0), line(20, EventType::measurement_on_off, 0),
                             line(50, EventType::measurement_on_off, 0), line(50, EventType::enter, 1) + " 7",
                             line(60, EventType::leave, 1)});
  CHECK(b.regions.used().size() == 2);
}

TEST_CASE("a pause before the first event is not told") {
  Buffered b;
  b.buffer.pause(20);
  b.buffer.resume(50);
  b.buffer.enter(60, b.regions.use(b.first));
  CHECK(b.flushed() == Lines{line(60, EventType::enter, 0)});
}

TEST_CASE("a counter's values in a pause stand behind it, whatever is around them") {
  Buffered b;
  b.buffer.enter(1, 0);
  b.buffer.pause(2);
  b.buffer.enter(3, 1);
  b.buffer.add(4, EventType::metric_uint, 7, 42);
  b.buffer.leave(5, 1);
  b.buffer.resume(6);
  b.buffer.leave(7, 0);
  CHECK(b.flushed() == Lines{line(1, EventType::enter, 0), line(2, EventType::measurement_on_off, 0),
                             line(6, EventType::measurement_on_off, 0), line(6, EventType::metric_uint, 7),
                             line(7, EventType::leave, 0)});
}

TEST_CASE("of a counter's values in a pause only the last is true behind it") {
  Buffered b;
  b.buffer.enter(1, 0);
  b.buffer.pause(2);
  for (const std::uint64_t value : {5u, 6u, 7u}) {
    b.buffer.attribute(1, value);
    b.buffer.add(3, EventType::metric_uint, 7, value);
    b.buffer.add(3, EventType::metric_uint, 8, value);
  }
  b.buffer.resume(6);
  CHECK(b.flushed() == Lines{line(1, EventType::enter, 0), line(2, EventType::measurement_on_off, 0),
                             line(6, EventType::measurement_on_off, 0), line(6, EventType::metric_uint, 7) + " 7",
                             line(6, EventType::metric_uint, 8)});
}

TEST_CASE("a request that is tested in a pause, and input that is complete in it, leave nothing behind") {
  Buffered b;
  b.buffer.enter(1, 0);
  b.buffer.pause(2);
  for (int n = 0; n < 3; ++n) {
    b.buffer.enter(3, 1);
    b.buffer.add(3, EventType::mpi_request_test, 0, 5);
    b.buffer.leave(3, 1);
    b.buffer.enter(4, 1);
    b.buffer.add(4, EventType::io_operation_begin, 3, 100, 7);
    b.buffer.add(4, EventType::io_operation_issued, 3, 0, 7);
    b.buffer.add(4, EventType::io_operation_complete, 3, 100, 7);
    b.buffer.leave(4, 1);
  }
  b.buffer.add(5, EventType::io_operation_begin, 3, 100, 8);     // goes on behind the pause
  b.buffer.add(5, EventType::io_operation_complete, 3, 100, 6);  // began before it
  b.buffer.resume(6);
  b.buffer.leave(7, 0);
  CHECK(b.flushed() == Lines{line(1, EventType::enter, 0), line(2, EventType::measurement_on_off, 0),
                             line(6, EventType::measurement_on_off, 0), line(6, EventType::io_operation_begin, 3),
                             line(6, EventType::io_operation_complete, 3), line(7, EventType::leave, 0)});
}
