// SPDX-License-Identifier: BSD-3-Clause
// The tables that grow with the run keep what was put, in one piece.
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>

#include "catch.hpp"
#include "support/scratch.hpp"
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

namespace {

/// Bytes of this process's memory now, those of files with it.
std::uint64_t resident() {
  unsigned long all = 0, resident_pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  REQUIRE(file != nullptr);
  const int read = std::fscanf(file, "%lu %lu", &all, &resident_pages);
  std::fclose(file);
  REQUIRE(read == 2);
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("large tables lie in a file: they keep what was put, and memory does not grow with them") {
  const tracer::test::Scratch scratch;
  struct statfs info {};
  REQUIRE(::statfs(scratch.path().c_str(), &info) == 0);
  const bool is_in_memory = info.f_type == 0x01021994;  // tmpfs
  tracer::SpillFile spill{scratch.path()};
  GrowingTable<Row> first{&spill}, second{&spill};
  const std::uint64_t before = resident();
  constexpr std::uint64_t rows = 1'100'000;
  std::uint64_t most = 0;
  for (std::uint64_t n = 0; n < rows; ++n) {
    first.push_back({n, {}});
    second.push_back({rows + n, {}});
    if (n % 100'000 == 0) most = std::max(most, resident());
  }
  std::uint64_t sum = 0, expected = 0;
  first.for_each([&](const Row& row) { sum += row.number + second[row.number].number; });
  for (std::uint64_t n = 0; n < rows; ++n) expected += 2 * n + rows;
  CHECK(sum == expected);
  most = std::max(most, resident());
  GrowingTable<Row> moved = std::move(first);
  CHECK(moved[rows - 1].number == rows - 1);
  second.resize(rows + 10);
  CHECK(second[rows + 9].number == 7);
  if (is_in_memory)
    WARN("not tested: how much memory they take, as temporary files are memory here");
  else
    CHECK(most < before + (std::uint64_t{32} << 20));
}

TEST_CASE("where no file can be made tables are in memory, and the same") {
  tracer::SpillFile spill{"/nowhere"};
  GrowingTable<Row> table{&spill};
  for (std::uint64_t n = 0; n < 200'000; ++n) table.push_back({n, {}});
  bool same = true;
  for (std::uint64_t n = 0; n < 200'000; ++n) same = same && table[n].number == n;
  CHECK(same);
  spill.release();
  CHECK(table[100'000].number == 100'000);
}
