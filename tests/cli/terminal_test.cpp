// SPDX-License-Identifier: BSD-3-Clause
// What the progress bar says.
#include "catch.hpp"

#include "tracer/cli/output/terminal.hpp"

using tracer::cli::time_left;

TEST_CASE("the time left is said when it is known, in seconds or minutes") {
  CHECK(time_left(4, 0.5) == "about 4 s left");
  CHECK(time_left(10, 0.01) == "about 17 min left");
  CHECK(time_left(30, 0.999) == "about 1 s left");
  CHECK(time_left(1.9, 0.5).empty());   // soon over
  CHECK(time_left(60, 0.001).empty());  // too early to tell
  CHECK(time_left(60, 1).empty());
}
