// SPDX-License-Identifier: BSD-3-Clause
// What the progress bar says, what fits on a screen, and who obeys escape sequences.
#include "catch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "tracer/cli/output/terminal.hpp"

using tracer::cli::fitted;
using tracer::cli::takes_escapes;
using tracer::cli::time_left;

TEST_CASE("the time left is said when it is known, in seconds or minutes") {
  CHECK(time_left(4, 0.5) == "about 4 s left");
  CHECK(time_left(10, 0.01) == "about 17 min left");
  CHECK(time_left(30, 0.999) == "about 1 s left");
  CHECK(time_left(1.9, 0.5).empty());   // soon over
  CHECK(time_left(60, 0.001).empty());  // too early to tell
  CHECK(time_left(60, 1).empty());
}

TEST_CASE("a screen has the lines that fit, with the number of the others, and no line that is wider") {
  CHECK(fitted("one\ntwo\n", 3, 80) == "one\ntwo\n");
  CHECK(fitted("one\ntwo\nthree\n", 3, 80) == "one\n... 2 more lines\n");
  CHECK(fitted("one\ntwo\nthree\n", 0, 0) == "one\ntwo\nthree\n");
  CHECK(fitted("one\n\nthree\n", 1, 2) == "... 3 more lines\n");
  CHECK(fitted("\x1b[1mheading\x1b[0m\nr\xc3\xa9gion\n", 9, 4) == "\x1b[1mhead\x1b[0m\nr\xc3\xa9gi\n");
  CHECK(fitted("", 9, 9).empty());
}

TEST_CASE("a terminal takes escape sequences where TERM names one that obeys them") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) return;  // none can be made here
  ::setenv("TERM", "xterm", 1);
  CHECK(takes_escapes(terminal));
  for (const char* term : {"dumb", ""}) {
    ::setenv("TERM", term, 1);
    CHECK_FALSE(takes_escapes(terminal));
  }
  ::unsetenv("TERM");
  CHECK_FALSE(takes_escapes(terminal));
  ::close(terminal);
}
