// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the ABI of MPI 5.0, which no MPI of the end-to-end tests has, beside MPICH's; lists of ranks as text.
#include "catch.hpp"

#include "tracer/mpi/family.hpp"
#include "tracer/mpi/text.hpp"

#include <string>
#include <string_view>
#include <vector>

using tracer::mpi::Family;
using tracer::mpi::standard_abi;

TEST_CASE("levels of threads have their names in the ABI as in MPICH") {
  const Family mpich;
  const auto name = [](const Family& family, int level) { return std::string_view{family.level_name(level)}; };
  CHECK(name(mpich, 0) == "single");
  CHECK(name(mpich, 2) == "serialized");
  CHECK(name(mpich, 3) == "multiple");
  CHECK(name(standard_abi, 0) == "single");
  CHECK(name(standard_abi, 1024) == "funneled");
  CHECK(name(standard_abi, 2048) == "serialized");
  CHECK(name(standard_abi, 4096) == "multiple");
  CHECK(name(standard_abi, 3072) == "unknown");
  CHECK(mpich.is_multiple(3));
  CHECK_FALSE(mpich.is_multiple(2));
  CHECK(standard_abi.is_multiple(4096));
  CHECK_FALSE(standard_abi.is_multiple(2048));
}

TEST_CASE("topologies have numbers of the ABI's own") {
  CHECK(standard_abi.cart == 211);
  CHECK(standard_abi.graph == 212);
  CHECK(standard_abi.dist_graph == 213);
}

TEST_CASE("ranks of one distance are one range, however many, and those outside of the world stand alone") {
  const auto text_of = [](const std::vector<int>& ranks) {
    tracer::mpi::Text text;
    text.add_ranges(ranks.data(), static_cast<int>(ranks.size()));
    return std::string{text.get()};
  };
  CHECK(text_of({}).empty());
  CHECK(text_of({7}) == "7");
  CHECK(text_of({0, 1, 2, 3, 8}) == "0-3,8");
  CHECK(text_of({0, 4, 8, 12}) == "0-12:4");
  CHECK(text_of({0, 4, 5, 6, 7, 20, 30, 40}) == "0,4-7,20-40:10");
  CHECK(text_of({0, 4}) == "0,4");
  CHECK(text_of({3, 2, 1}) == "3,2,1");
  CHECK(text_of({-1, 0, 1, -1, -1, 5}) == "-1,0-1,-1,-1,5");
  CHECK(text_of({1, 2147483647, -2147483647, 3}) == "1,2147483647,-2147483647,3");
  std::vector<int> many;
  for (int rank = 3; rank < 10'000; rank += 4) many.push_back(rank);
  CHECK(text_of(many) == "3-9999:4");
}
