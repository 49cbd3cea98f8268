// SPDX-License-Identifier: BSD-3-Clause
// Where processes below a `tracer run` write, while that looks after their traces and afterwards.
#include <sys/stat.h>

#include <filesystem>
#include <iterator>

#include "catch.hpp"
#include "support/no_file_room.hpp"
#include "support/scratch.hpp"
#include "tracer/base/launch_notes.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/job/output_pattern.hpp"
#include "tracer/session/output_directory.hpp"

namespace fs = std::filesystem;
using namespace tracer;

TEST_CASE("a process of a launch writes into its job until that has looked for traces, then elsewhere") {
  const test::Scratch scratch;
  const fs::path job = scratch.path() / "out";
  JobRun run(job, "mark", "mark");
  Config config;
  config.output = literal_output(job);
  config.launch = "mark";
  config.launch_at = job;
  const OutputDirectory first = make_output_directory(config, RunInfo{}), second = make_output_directory(config, {});
  CHECK(first.path == job);
  CHECK(second.path.parent_path() == job / "parts");
  CHECK(leave_note(config, LaunchNoteKind::off, {}));
  CHECK(run.end(0));
  const OutputDirectory late = make_output_directory(config, RunInfo{});
  CHECK(late.path == scratch.path() / "out.2");
  CHECK(late.outlives_launch);
  CHECK_FALSE(leave_note(config, LaunchNoteKind::off, {}));
  CHECK(notes_of(job, "mark").size() == 1);
  CHECK(parts_of_job(job).size() == 1);
}

TEST_CASE("a note beyond the limit of file sizes is not left, and the process lives") {
  const test::Scratch scratch;
  const fs::path job = scratch.path() / "out";
  const JobRun run(job, "mark", "mark");
  Config config;
  config.launch = "mark";
  config.launch_at = job;
  CHECK(test::holds_without_file_room([&] { return !leave_note(config, LaunchNoteKind::off, {}); }));
  CHECK(notes_of(job, "mark").empty());
  CHECK(std::distance(fs::directory_iterator{job / "runs"}, fs::directory_iterator{}) == 1);  // the run's own
}

TEST_CASE("a note can be read where the umask takes everything from the user himself") {
  const test::Scratch scratch;
  const fs::path job = scratch.path() / "out";
  const JobRun run(job, "mark", "mark");
  Config config;
  config.launch = "mark";
  config.launch_at = job;
  const mode_t before = ::umask(0777);
  CHECK(leave_note(config, LaunchNoteKind::off, {}));
  ::umask(before);
  for (const auto& file : fs::directory_iterator{job / "runs"})
    CHECK((file.status().permissions() & fs::perms::owner_all) == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(notes_of(job, "mark").size() == 1);
}
