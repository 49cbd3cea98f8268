// SPDX-License-Identifier: BSD-3-Clause
// The tables that grow with the run keep what was put, in one piece.
#include <sys/resource.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "tracer/translate/scan/growing_table.hpp"

using tracer::translate::GrowingTable;

namespace {
struct Row {
  std::uint64_t number = 7;
  std::uint8_t rest[88] = {};
};
}  // namespace

TEST_CASE("a growing table keeps its rows in order and in one piece, and can be moved") {
  GrowingTable<Row> table;
  CHECK(table.empty());
  CHECK(table.begin() == table.end());
  for (std::uint64_t n = 0; n < 100'000; ++n) table.push_back({n, {}});
  table.push_back(table[5]);  // a row of its own, also where it has to grow
  REQUIRE(table.size() == 100'001);
  bool same = true;
  for (std::uint64_t n = 0; n < 100'000; ++n) same = same && table[n].number == n;
  CHECK(same);
  CHECK(table[100'000].number == 5);
  CHECK(table.end() - table.begin() == 100'001);
  GrowingTable<Row> other = std::move(table);
  CHECK(table.empty());
  CHECK(other.front().number == 0);
  GrowingTable<Row> third;
  third.push_back({1, {}});
  third = std::move(other);
  CHECK(third.size() == 100'001);
}

TEST_CASE("a growing table takes the memory of its rows, not that of its copies") {
  GrowingTable<Row> table;
  rusage before, after;
  REQUIRE(::getrusage(RUSAGE_SELF, &before) == 0);
  constexpr std::uint64_t rows = 1'100'000;  // just behind a doubling: half of the room is empty
  for (std::uint64_t n = 0; n < rows; ++n) table.push_back({n, {}});
  REQUIRE(::getrusage(RUSAGE_SELF, &after) == 0);
  const std::uint64_t taken = static_cast<std::uint64_t>(after.ru_maxrss - before.ru_maxrss) << 10;
  CHECK(taken < rows * sizeof(Row) * 5 / 4);
}
