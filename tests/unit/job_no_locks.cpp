// SPDX-License-Identifier: BSD-3-Clause
// A job on a file system without locks.
#include <filesystem>

#include "catch.hpp"
#include "support/no_locks.hpp"
#include "support/scratch.hpp"
#include "tracer/job/job_directory.hpp"

using namespace tracer;

TEST_CASE("of the runs of a job that end together one is the last, also without locks") {
  const test::Scratch scratch;
  const test::NoLocks none;
  JobRun first(scratch / "out", "job", "one"), second(scratch / "out", "job", "two");
  const auto runs = scratch / "out" / "runs";
  CHECK_FALSE(first.end(2));  // the other may live
  std::filesystem::rename(runs / "one.done", runs / "one");
  std::filesystem::rename(runs / "two", runs / "two.done");  // as it does when it ends
  CHECK(first.end(2));
  CHECK_FALSE(second.end(2));
  first.clean_up(true);
  CHECK_FALSE(std::filesystem::exists(runs));
}
