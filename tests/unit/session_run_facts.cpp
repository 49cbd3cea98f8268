// SPDX-License-Identifier: BSD-3-Clause
// Facts of the run as the kernel has them: start, stolen time, limits of control groups, times of threads.
#include "tracer/session/run_facts.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "support/scratch.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/session/clock_domain.hpp"

using namespace tracer;

TEST_CASE("a process's start is read from the kernel's text, whatever the program's name holds") {
  const std::string stat = "4711 (a) b 1 (c)) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 1234 20 21\n";  // field 22
  CHECK(process_start(stat, 100, 50'000'000'000, 50'000'000'000) == 12'340'000'000);
  CHECK(process_start(stat, 100, 53'000'000'000, 50'000'000'000) == 9'340'000'000);           // three seconds suspended
  CHECK(process_start(stat, 100, 50'000'000'000, 86'450'000'000'000) == 86'412'340'000'000);  // a time namespace
  CHECK(process_start("4711 (a) R 1", 100, 1, 1) == 0);
  CHECK(process_start("", 100, 1, 1) == 0);
}

TEST_CASE("ranks read one clock on one boot, and each its own where the kernel does not tell the boot") {
  CHECK(clock_number("38b9746b", 0) == clock_number("38b9746b", 1));
  CHECK(clock_number("38b9746b", 0) != clock_number("38b9746c", 0));
  CHECK(clock_number("", 0) != clock_number("", 1));
}

TEST_CASE("what a virtual machine's host takes is read from the kernel's text") {
  CHECK(stolen_time("cpu  613 0 672 26641 88 0 14 250 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n", 100) == 2'500'000'000);
  CHECK(stolen_time("cpu  613 0 672 26641\ncpu0 613 0 672 26641\n", 100) == 0);
  CHECK(stolen_time("", 100) == 0);
}

TEST_CASE("that the machine slept is what one of the kernel's clocks gains on the other, microseconds apart") {
  constexpr std::int64_t second = 1'000'000'000;
  CHECK(asleep_between(0, 3 * second) == 3'000'000'000);
  CHECK(asleep_between(-second, 2 * second) == 3'000'000'000);  // in a namespace of other times
  CHECK(asleep_between(7 * second, 7 * second + 50'000) == 0);
  CHECK(asleep_between(7 * second, 7 * second - 50'000) == 0);
}

TEST_CASE("the tightest limit of the control groups around a process counts, in both versions") {
  test::Scratch scratch;
  const auto put = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((scratch.path() / path).parent_path());
    std::ofstream(scratch.path() / path) << text;
  };
  put("user.slice/cpu.max", "150000 100000\n");
  put("user.slice/job/cpu.max", "max 100000\n");
  put("cpu/batch/cpu.cfs_quota_us", "50000\n");
  put("cpu/batch/cpu.cfs_period_us", "100000\n");
  const std::string root = scratch.path().string();
  CHECK(processor_quota("0::/user.slice/job\n", root) == Approx(1.5));
  CHECK(processor_quota("3:cpu,cpuacct:/batch\n0::/user.slice\n", root) == Approx(0.5));
  CHECK(processor_quota("3:memory:/batch\n0::/other\n", root) == 0);
}

TEST_CASE("what a killed process has of its facts is a hundredth of its run old, ten seconds at most") {
  CHECK(facts_hold_for(0) == 0);
  CHECK(facts_hold_for(100'000'000'000) == 1'000'000'000);
  CHECK(facts_hold_for(1'000'000'000'000) == 10'000'000'000);
  CHECK(facts_hold_for(1'000'000'000'000'000) == 10'000'000'000);
}

TEST_CASE("a thread's processor time is the kernel's") {
  const auto begin = thread_time(0);
  volatile unsigned work = 0;
  while (processor_time() - begin.processor < 5'000'000) work = work + 1;
  CHECK(thread_time(0).processor >= begin.processor + 4'000'000);
  CHECK(thread_time(~0u).processor == 0);
}
