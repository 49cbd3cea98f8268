// SPDX-License-Identifier: BSD-3-Clause
// Offsets of time namespaces, as the kernel writes them.
#include "catch.hpp"
#include "tracer/sample/clock_offset.hpp"

using namespace tracer::sample;

TEST_CASE("what a time namespace adds to CLOCK_MONOTONIC is read from the kernel's text") {
  CHECK(monotonic_offset("monotonic           0         0\nboottime            0         0\n") == 0);
  CHECK(monotonic_offset("monotonic       86400       500\nboottime            7         0\n") == 86'400'000'000'500);
  CHECK(monotonic_offset("monotonic         -10 999999999\nboottime            0         0\n") == -9'000'000'001);
  CHECK(monotonic_offset("") == 0);  // kernels before 5.6
  CHECK(monotonic_offset("boottime            7         0\n") == 0);
}
