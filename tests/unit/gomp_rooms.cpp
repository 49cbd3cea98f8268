// SPDX-License-Identifier: BSD-3-Clause
// The rooms of tracer/gomp: of calls that return, of calls that are left, on several stacks, of several sizes.
#include "catch.hpp"

#include "tracer/gomp/room.hpp"

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

using tracer::gomp::Frame;
using tracer::gomp::Rooms;

namespace {

/// A stack of calls: words that hold return addresses. The first is the highest.
struct Stack {
  static constexpr unsigned most = 4096;
  std::vector<const void*> words = std::vector<const void*>(most);
  /// The call of that depth is there.
  Frame enter(unsigned depth, std::uintptr_t from) {
    words[most - 1 - depth] = reinterpret_cast<const void*>(from);
    return {reinterpret_cast<std::uintptr_t>(&words[most - depth - 1] + 1), reinterpret_cast<const void*>(from)};
  }
  void overwrite(unsigned depth) { words[most - 1 - depth] = nullptr; }
};

std::vector<int> ended;
template <int number>
void end(void*) {
  ended.push_back(number);
}

}  // namespace

TEST_CASE("rooms: nested calls have memory of their own, which is used again") {
  static Rooms rooms;
  Stack stack;
  std::set<void*> all;
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> taken;
    for (unsigned depth = 0; depth < 2000; ++depth) {
      void* const memory = rooms.take(stack.enter(depth, depth + 1), Rooms::usual);
      REQUIRE(memory != nullptr);
      REQUIRE(reinterpret_cast<std::uintptr_t>(memory) % 16 == 0);
      std::memset(memory, static_cast<int>(depth), Rooms::usual);
      taken.push_back(memory);
    }
    all.insert(taken.begin(), taken.end());
    for (unsigned depth = 2000; depth-- > 0;) {
      const auto* const bytes = static_cast<unsigned char*>(taken[depth]);
      REQUIRE(bytes[0] == static_cast<unsigned char>(depth));
      REQUIRE(bytes[Rooms::usual - 1] == static_cast<unsigned char>(depth));
      rooms.give_back(taken[depth]);
    }
  }
  CHECK(all.size() == 2000);
}

TEST_CASE("rooms: a million calls that are left at a place need one room") {
  static Rooms rooms;
  Stack stack;
  std::set<void*> all;
  for (int i = 0; i < 1000000; ++i) all.insert(rooms.take(stack.enter(7, 1), 100));
  CHECK(all.size() == 1);
  all.clear();
  // At eleven places in turn nothing is overwritten: each keeps its room until there is another call.
  for (unsigned i = 0; i < 1000000; ++i) all.insert(rooms.take(stack.enter(i * 5 % 11, 1), 100));
  CHECK(all.size() <= 12);
}

TEST_CASE("rooms: a call that is left is ended when another is at its place, from the innermost out") {
  static Rooms rooms;
  Stack stack;
  ended.clear();
  void* const outer = rooms.take(stack.enter(1, 1), 10);
  Rooms::when_left(rooms.take(stack.enter(2, 2), 10), &end<2>, nullptr);
  Rooms::when_left(rooms.take(stack.enter(3, 3), 10), &end<3>, nullptr);
  Rooms::when_left(rooms.take(stack.enter(4, 4), 10), &end<4>, nullptr);
  stack.overwrite(3);
  stack.overwrite(4);
  void* const again = rooms.take(stack.enter(2, 5), 10);
#ifdef __x86_64__
  CHECK(ended == std::vector<int>{4, 3, 2});
#else
  CHECK(ended == std::vector<int>{2});
#endif
  rooms.give_back(again);
  rooms.give_back(outer);
}

TEST_CASE("rooms: calls on another stack stay, wherever it lies") {
  static Rooms rooms;
  Stack stack;  // depth 1000 and more: a stack within it
  ended.clear();
  void* const low = rooms.take(stack.enter(1001, 1), 10);
  Rooms::when_left(low, &end<1>, nullptr);
  for (unsigned depth : {5u, 6u, 7u, 5u, 9u}) {
    void* const high = rooms.take(stack.enter(depth, depth), 10);
    CHECK(high != low);
    rooms.give_back(high);
  }
  CHECK(ended.empty());
  // They may end in another order than they have begun.
  void* const high = rooms.take(stack.enter(5, 2), 10);
  rooms.give_back(low);
  void* const next = rooms.take(stack.enter(6, 3), 10);
  CHECK(next != high);
  rooms.give_back(high);
  rooms.give_back(next);
  CHECK(ended.empty());
}

// As where coroutines share a stack, by copying its contents.
TEST_CASE("rooms: a call that another has taken the place of may still return") {
  static Rooms rooms;
  Stack stack;
  void* const aside = rooms.take(stack.enter(3, 1), 10);
  void* const inner = rooms.take(stack.enter(3, 2), 10);
  rooms.give_back(inner);
  rooms.give_back(aside);
  rooms.give_back(aside);
  std::set<void*> all;
  for (unsigned depth = 0; depth < 300; ++depth) all.insert(rooms.take(stack.enter(depth, 1), 10));
  CHECK(all.size() == 300);
}

TEST_CASE("rooms: large ones are kept for the next, very large ones are not") {
  static Rooms rooms;
  Stack stack;
  std::set<void*> all;
  for (int i = 0; i < 100; ++i) {
    for (std::size_t size : {300u, 5000u, 100000u}) {
      void* const memory = rooms.take(stack.enter(3, 1), size);
      REQUIRE(memory != nullptr);
      std::memset(memory, 1, size);
      all.insert(memory);
      rooms.give_back(memory);
    }
  }
  CHECK(all.size() == 3);
  void* const memory = rooms.take(stack.enter(3, 1), std::size_t{5} << 20);
  REQUIRE(memory != nullptr);
  std::memset(memory, 1, std::size_t{5} << 20);
  rooms.give_back(memory);
  CHECK(rooms.take(stack.enter(3, 1), SIZE_MAX - 8) == nullptr);
}

TEST_CASE("rooms: what a thread has had from the system goes to the next thread") {
  std::set<void*> all;
  for (int i = 0; i < 50; ++i) {
    std::thread([&] {
      static thread_local Rooms rooms;
      Stack stack;
      for (unsigned depth = 0; depth < 100; ++depth) {
        void* const memory = rooms.take(stack.enter(depth, 1), 10);
        if (depth >= 2) all.insert(memory);  // the first two are the thread's own
      }
    }).join();
  }
  CHECK(all.size() == 98);
}
