// SPDX-License-Identifier: BSD-3-Clause
// The ring's arithmetic, proven with positions of 8 bits that wrap all the time, and its two ends in two threads.
#include <thread>
#include <vector>

#include "catch.hpp"
#include "tracer/ring/ring.hpp"

using namespace tracer;

namespace {

using Small = std::uint8_t;

struct SmallRing {
  std::vector<int> slots;
  std::atomic<Small> head, tail, size{0};
  RingWriter<Small, int> writer;

  SmallRing(Small capacity, Small start) : slots(capacity), head(start), tail(start) {
    writer.attach(slots.data(), capacity, head, tail);
  }
  std::vector<int> take() {
    size = writer.capacity();
    RingReader<Small, int> reader(slots.data(), size, head, tail);
    const Small end = reader.end();
    const auto part = reader.part(reader.begin(), end);
    std::vector<int> result(part.first.begin(), part.first.end());
    result.insert(result.end(), part.second.begin(), part.second.end());
    reader.release(end);
    return result;
  }
};

}  // namespace

TEST_CASE("from every position a ring takes exactly its capacity, in order, and empty differs from full") {
  for (const Small capacity : {Small{1}, Small{2}, Small{4}, Small{32}, Small{64}}) {
    for (int start = 0; start < 256; ++start) {
      SmallRing ring(capacity, static_cast<Small>(start));
      REQUIRE(ring.writer.room() == capacity);
      ring.writer.allow(ring.writer.room());
      int written = 0;
      std::vector<int> expected;
      while (ring.writer.fits(1)) {
        expected.push_back(written);
        ring.writer.put(written++);
      }
      REQUIRE(written == capacity);
      REQUIRE(ring.writer.room() == 0);
      REQUIRE(ring.take() == expected);
      REQUIRE(ring.writer.room() == capacity);
    }
  }
}

TEST_CASE("a full ring refuses and overwrites nothing") {
  SmallRing ring(4, 254);
  ring.writer.allow(4);
  for (int i = 0; i < 4; ++i) ring.writer.put(i);
  CHECK_FALSE(ring.writer.fits(1));
  ring.writer.allow(ring.writer.room());
  CHECK_FALSE(ring.writer.fits(1));
  CHECK(ring.take() == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("a pair needs two slots and becomes visible at once") {
  SmallRing ring(4, 255);
  ring.writer.allow(1);
  CHECK(ring.writer.fits(1));
  CHECK_FALSE(ring.writer.fits(2));
  ring.writer.allow(4);
  ring.writer.put(1, 2);
  CHECK(ring.take() == std::vector<int>{1, 2});
}

TEST_CASE("slots that the consumer claims are as they were") {
  std::vector<std::uint64_t> slots(100);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = i * 0x0101010101010101;
  const auto before = slots;
  for (std::size_t from = 0; from < 16; ++from) claim(std::span<const std::uint64_t>(slots).subspan(from, 80 - from));
  CHECK(slots == before);
}

TEST_CASE("an interrupted writer looks around at its next record, wherever it stands") {
  for (int start = 0; start < 256; ++start) {
    SmallRing ring(64, static_cast<Small>(start));
    ring.writer.allow(64);
    ring.writer.put(1);
    ring.writer.interrupt();
    REQUIRE_FALSE(ring.writer.fits(1));
    ring.writer.allow(ring.writer.room());
    REQUIRE(ring.writer.fits(63));
  }
}

TEST_CASE("an empty ring may become smaller at any position") {
  SmallRing ring(64, 200);
  ring.writer.resize(16);
  ring.writer.allow(ring.writer.room());
  for (int i = 0; ring.writer.fits(1); ++i) ring.writer.put(i);
  const auto taken = ring.take();
  REQUIRE(taken.size() == 16);
  CHECK(taken.back() == 15);
}

TEST_CASE("a reader of a flight recorder sees what was given up while it copied") {
  SmallRing ring(4, 254);
  ring.writer.allow(4);
  for (int i = 0; i < 4; ++i) ring.writer.put(i);
  ring.size = 4;
  const RingReader<Small, int> reader(ring.slots.data(), ring.size, ring.head, ring.tail);
  CHECK(reader.oldest() == 254);
  CHECK(reader.at(255) == 1);
  ring.writer.overrun(static_cast<Small>(256 + 1));
  CHECK(reader.oldest_copied() == 1);
  CHECK(reader.end() == 2);
}

TEST_CASE("two threads pass every value once and in order") {
  constexpr std::uint64_t count = 2'000'000, capacity = 256;
  std::vector<std::uint64_t> slots(capacity);
  std::atomic<std::uint64_t> head{0}, tail{0};
  RingWriter<std::uint64_t, std::uint64_t> writer;
  writer.attach(slots.data(), capacity, head, tail);
  std::uint64_t expected = 0, wrong = 0;
  const std::atomic<std::uint64_t> size{capacity};
  std::thread consumer([&] {
    RingReader<std::uint64_t, std::uint64_t> reader(slots.data(), size, head, tail);
    while (expected < count) {
      const std::uint64_t to = reader.end(), from = reader.begin();
      const auto part = reader.part(from, to);
      for (const auto value : part.first) wrong += value != expected++;
      for (const auto value : part.second) wrong += value != expected++;
      reader.release(to);
      if (from == to) std::this_thread::yield();
    }
  });
  for (std::uint64_t i = 0; i < count; ++i) {
    while (!writer.fits(1)) {
      writer.allow(writer.room());
      if (!writer.fits(1)) std::this_thread::yield();
    }
    writer.put(i);
  }
  consumer.join();
  CHECK(wrong == 0);
}
