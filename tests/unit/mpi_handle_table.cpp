// SPDX-License-Identifier: BSD-3-Clause
// What is known of MPI's handles, which MPI gives to the next as soon as they are free.
#include "catch.hpp"

#include "tracer/mpi/handle_table.hpp"

using tracer::mpi::HandleTable;

TEST_CASE("a handle that is another's by now is not forgotten with the one before") {
  HandleTable<int> table;
  int first = 1, second = 2;
  table.forget(0x84, &first);  // nothing is known yet
  REQUIRE(table.set(0x84, &first));
  REQUIRE(table.set(0x84, &second));  // by another thread, between the free and its return
  table.forget(0x84, &first);
  CHECK(table.find(0x84) == &second);
  table.forget(0x84, &second);
  CHECK(table.find(0x84) == nullptr);
}

TEST_CASE("of many hashes, some of them several times, the last one's is found") {
  HandleTable<int> table;
  static int known[2000];
  const auto hash_of = [](std::uintptr_t i) { return (i % 1500 + 1) * 0x9e3779b97f4a7c15ull; };
  for (std::uintptr_t i = 0; i < 2000; ++i) {
    const int* const last = table.find(hash_of(i));
    CHECK(last == (i < 1500 ? nullptr : &known[i - 1500]));
    REQUIRE(table.set(hash_of(i), &known[i]));
  }
  for (std::uintptr_t i = 500; i < 2000; ++i) CHECK(table.find(hash_of(i)) == &known[i]);
}

TEST_CASE("what is known of many handles is found, also behind those that were forgotten") {
  HandleTable<int> table;
  static int known[1000];
  for (std::uintptr_t i = 0; i < 1000; ++i) REQUIRE(table.set(0x44000000 + i * 16, &known[i]));
  for (std::uintptr_t i = 0; i < 1000; i += 2) table.forget(0x44000000 + i * 16, &known[i]);
  for (std::uintptr_t i = 0; i < 1000; ++i)
    CHECK(table.find(0x44000000 + i * 16) == (i % 2 == 0 ? nullptr : &known[i]));
  table.for_each([](int& one) { ++one; });
  for (std::uintptr_t i = 0; i < 1000; ++i) CHECK(known[i] == (i % 2 == 0 ? 0 : 1));
}
