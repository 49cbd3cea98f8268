// SPDX-License-Identifier: BSD-3-Clause
// Where the archive of a run goes.
#include "catch.hpp"
#include "tracer/base/config.hpp"
#include "tracer/journal.hpp"
#include "tracer/session/output_directory.hpp"

using namespace tracer;

TEST_CASE("where no other name can be made either, the message says why the wanted one was not taken") {
  Config config;
  config.output = "/proc/self";
  CHECK_THROWS_WITH(make_output_directory(config, RunInfo{}),
                    ContainsSubstring("/proc/self is a link; cannot make the directory /proc/self.2"));
}
