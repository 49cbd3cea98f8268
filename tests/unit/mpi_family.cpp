// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the ABI of MPI 5.0, which no MPI of the end-to-end tests has, beside MPICH's.
#include "catch.hpp"

#include "tracer/mpi/family.hpp"

#include <string_view>

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
