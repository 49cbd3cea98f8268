// SPDX-License-Identifier: BSD-3-Clause
// Recording stops before the process ends.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>

#include "catch.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/reader.hpp"
#include "support/scratch.hpp"
#include "tests/unit/session_run.hpp"
#include "tracer/drain/drainer.hpp"
#include "tracer/session/session.hpp"

using namespace tracer;

TEST_CASE("a process that is killed after recording has stopped does not seem to have lost nothing") {
  for (const bool has_limit : {true, false}) {
    const test::Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
      Config config;
      config.output = (scratch.path() / "out").string();
      config.log = LogLevel::off;
      config.ring_size = 16 << 10;
      if (has_limit)
        config.size_limit = 64 << 10;
      else
        config.on_full = FullPolicy::stop;
      Session* const session = Session::start({}, config, make_drainer);
      while (session != nullptr && session->recording()) test::record_numbers(1);
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const auto trace = raw::open_trace(scratch.path() / "out");
    CHECK(trace->journal().ending == Ending::unknown);
    CHECK(trace->journal().counters.at(has_limit ? "stopped.size_limit" : "stopped.full_ring") == 1);
    CHECK(raw::remove_spool(trace->report().spool));
  }
}

TEST_CASE("a child of a process that has stopped recording has a trace of its own") {
#if defined(__SANITIZE_THREAD__)
  SKIP_TEST("ThreadSanitizer ends a forked child that starts a thread");
#endif
  test::Run run;
  run.config.ring_size = 16 << 10;
  run.config.size_limit = 64 << 10;
  run.start();
  while (run.session->recording()) test::record_numbers(1);
  REQUIRE(test::goes_well_in_child([] { test::record_numbers(1); }));
  run.finish();
  const auto childs = raw::open_trace(run.scratch.path() / "out.2");
  CHECK(childs->report().complete);
  CHECK(test::read_all(*childs, 0).size() == 1);
}

TEST_CASE("a journal that cannot be written ends recording, and says why as soon as there is room") {
  test::Run run;
  run.start();
  test::record_numbers(1);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit full = before;
  full.rlim_cur = std::filesystem::file_size(run.session->raw_directory() / "journal");
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &full) == 0);
  run.session->read_clock();
  const bool has_stopped = !run.session->recording();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(has_stopped);
  const auto trace = run.finish();
  CHECK(trace->journal().ending == Ending::finalize);
  CHECK(trace->journal().counters.at("stopped.failed_write") == 1);
  CHECK(test::read_all(*trace, 0).size() == 1);
  run.session->release_raw_trace();
  CHECK(raw::remove_spool(trace->report().spool));
}
