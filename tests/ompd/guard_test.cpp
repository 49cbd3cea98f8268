// SPDX-License-Identifier: BSD-3-Clause
// The process that does the dangerous part, and its watcher.
#include "tracer/ompd/guard.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "catch.hpp"
#include "tracer/ompd/target/refusal.hpp"

using namespace tracer::ompd;
using namespace std::chrono_literals;

namespace {

Refusal refusal_of(std::chrono::milliseconds limit, const std::function<int()>& body,
                   const std::function<void()>& after = {}) {
  try {
    guarded(limit, SIGKILL, body, after);
  } catch (const CannotLook& error) {
    return error.why();
  }
  FAIL("it came back");
  return Refusal::damaged;
}

}  // namespace

TEST_CASE("the status of what is guarded is the status") {
  CHECK(guarded(60s, SIGKILL, [] { return 0; }) == 0);
  CHECK(guarded(0s, SIGKILL, [] { return 7; }) == 7);
}

TEST_CASE("the status is known where the ends of children were ignored, and so is it in the child") {
  for (const auto limit : {0s, 60s}) {
    std::signal(SIGCHLD, SIG_IGN);
    CHECK(guarded(limit, SIGKILL, [] { return std::signal(SIGCHLD, SIG_DFL) == SIG_DFL ? 7 : 8; }) == 7);
  }
  std::signal(SIGCHLD, SIG_DFL);
}

TEST_CASE("a refusal inside is its status outside") {
  CHECK(guarded(60s, SIGKILL, []() -> int { throw CannotLook(Refusal::no_openmp, "nothing to see"); }) ==
        static_cast<int>(Refusal::no_openmp));
}

TEST_CASE("a crash is told, and cleaned up after") {
  bool cleaned = false;
  CHECK(refusal_of(
            60s,
            [] {
              raise(SIGKILL);
              return 0;
            },
            [&] { cleaned = true; }) == Refusal::crashed);
  CHECK(cleaned);
}

TEST_CASE("what never ends is ended") {
  CHECK(refusal_of(200ms, [] {
          for (;;) pause();
          return 0;
        }) == Refusal::stuck);
}

TEST_CASE("a signal that ends both is no crash") {
  for (const auto limit : {0s, 60s}) {
    const pid_t watcher = fork();
    if (watcher == 0) {
      std::signal(SIGTERM, SIG_IGN);  // until it watches
      try {
        guarded(limit, SIGKILL, [] {
          std::signal(SIGTERM, SIG_DFL);
          for (;;) {
            kill(getppid(), SIGTERM);
            usleep(1000);
          }
          return 0;
        });
      } catch (const CannotLook&) {
      }
      _exit(1);
    }
    int status = 0;
    REQUIRE(waitpid(watcher, &status, 0) == watcher);
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
  }
}
