// SPDX-License-Identifier: BSD-3-Clause
// Samples of the sample archive's two threads, counters and pauses with them.
#pragma once

#include "sample.hpp"
#include "tracer/samples.hpp"

namespace tracer::test {

/// make_sample(), whose threads say their numbers.
inline SampleTrace sample_with_threads() {
  SampleTrace trace = make_sample();
  for (Location& location : trace.definitions.locations)
    for (Property& property : location.properties)
      if (property.name == "OS thread id") property.name = "TRACER::THREAD_ID";
  return trace;
}

/// On the master main calls init, then solve, which has the parallel region, then save; in the loop both threads are in
/// kernel, in the task the worker is in work. `instructions` go up by 100 with each sample of a thread.
inline samples::SampleSet samples_of_sample() {
  using samples::Origin;
  samples::SampleSet set;
  set.period = 1'000'000;
  set.strings = {"",     "main",       "init",       "solve",    "save", "kernel",
                 "work", "/src/app.c", "__kmp_fork", "/bin/app", "lib",  "instructions"};
  const auto frame = [](std::uint32_t function, std::uint32_t line, Origin origin = Origin::user) {
    const bool is_user = origin == Origin::user;
    return samples::Frame{function, is_user ? 7u : 0u, is_user ? 9u : 10u, line, origin};
  };
  set.frames = {frame(1, 40), frame(2, 20), frame(3, 3), frame(8, 0, Origin::runtime), frame(3, 4), frame(5, 60),
                frame(4, 30), frame(6, 70), frame(1, 41)};
  enum : std::uint32_t { main, init, solve, runtime, outlined, kernel, save, work, main_later };
  set.stacks = {{main, init},                               // 0
                {main, solve, runtime, outlined, kernel},   // 1: the master works in the loop
                {main, solve, runtime, outlined, runtime},  // 2: and waits
                {main, solve, runtime},                     // 3
                {main_later, save},                         // 4
                {runtime, outlined, kernel},                // 5: the worker
                {runtime, outlined, runtime},               // 6
                {runtime, outlined, runtime, work}};        // 7
  const auto add = [&](std::uint32_t thread, std::uint64_t time, std::uint32_t stack) {
    const bool first = set.samples.empty() || set.samples.back().thread != thread;
    set.values.push_back(first ? 100 : set.values.back() + 100);
    set.samples.push_back({.time = time, .thread = thread, .stack = stack, .processor = 0});
  };
  set.counters = {{11, 0}};
  add(4711, 990, 0);  // before its first event
  add(4711, 1005, 0);
  add(4711, 1032, 1);
  add(4711, 1035, 1);
  add(4711, 1100, 2);
  add(4711, 1245, 3);
  add(4711, 1255, 4);
  add(4712, 1032, 5);
  add(4712, 1120, 7);
  add(4712, 1170, 6);
  set.pauses = {{1110, 1115, 4711, 1}, {1405, 9999, 4711, 0}, {1160, 1165, 4712, 0}};
  return set;
}

}  // namespace tracer::test
