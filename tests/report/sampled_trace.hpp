// SPDX-License-Identifier: BSD-3-Clause
// A trace with samples and scheduling of which one knows what a report must say; and one with as many samples as
// wanted.
#pragma once

#include <cstddef>

#include "tests/report/known_traces.hpp"
#include "tracer/samples.hpp"

namespace tracer::test {

/// Makes the set's tables by name.
class SampleBuilder {
 public:
  explicit SampleBuilder(std::uint64_t period) { set_.period = period; }
  std::uint32_t frame(const std::string& function, const std::string& file, std::uint32_t line,
                      samples::Origin origin = samples::Origin::user) {
    const std::string module = origin == samples::Origin::user ? "/bin/example" : "/lib/libomp.so.5";
    set_.frames.push_back({string(function), string(file), string(module), line, origin});
    return static_cast<std::uint32_t>(set_.frames.size() - 1);
  }
  std::uint32_t stack(std::vector<std::uint32_t> frames) {
    set_.stacks.push_back(std::move(frames));
    return static_cast<std::uint32_t>(set_.stacks.size() - 1);
  }
  /// In the order of threads and times.
  void sample(std::uint32_t thread, std::uint64_t time, std::uint32_t stack) {
    set_.samples.push_back({.time = time, .thread = thread, .stack = stack, .processor = thread % 2});
  }
  void pause(std::uint32_t thread, std::uint64_t begin, std::uint64_t end, bool preempted) {
    set_.pauses.push_back({begin, end, thread, preempted ? 1u : 0u});
  }
  samples::SampleSet set() { return std::move(set_); }

 private:
  std::uint32_t string(const std::string& text) {
    for (std::uint32_t i = 0; i < set_.strings.size(); ++i)
      if (set_.strings[i] == text) return i;
    set_.strings.push_back(text);
    return static_cast<std::uint32_t>(set_.strings.size() - 1);
  }
  samples::SampleSet set_;
};

/// The locations' threads are 101, 102, ...
inline void name_threads(Definitions& definitions) {
  for (std::size_t i = 0; i < definitions.locations.size(); ++i)
    definitions.locations[i].properties.push_back({"TRACER::THREAD_ID", std::to_string(101 + i)});
}

struct SampledTrace {
  TraceBuilder trace;
  samples::SampleSet samples;
};

/// As on two threads of one machine: 3000 instructions and 2000 cycles for each sample of a thread, 100 instructions
/// where it waited (the stack's last frame is the runtime's). Of the first sample of all no cycles are known.
inline void count_instructions(samples::SampleSet& set) {
  set.strings.insert(set.strings.end(), {"instructions", "cycles"});
  const auto first = static_cast<std::uint32_t>(set.strings.size() - 2);
  set.counters = {{first, 0}, {first + 1, 0}};
  std::uint64_t instructions = 0, cycles = 0;
  for (std::size_t s = 0; s < set.samples.size(); ++s) {
    if (s != 0 && set.samples[s].thread != set.samples[s - 1].thread) instructions = cycles = 0;
    const bool waits = set.frames[set.stacks[set.samples[s].stack].back()].origin == samples::Origin::runtime;
    set.values.push_back(instructions += waits ? 100 : 3000);
    set.values.push_back(s == 0 ? samples::not_counted : cycles += 2000);
  }
}

/// imbalance_3_to_1(), a sample each ms at the half of it. Before the region the master is in main > init, behind it in
/// main > save. In the loop all are in kernel, called by solve's outlined part; at the barrier those who wait are
/// in the runtime. Thread 1 sleeps 15 ms of its 20 at the barrier, thread 2 is preempted for 2 ms of work and the first
/// 2 ms of the barrier, thread 3 for 2 ms of work; no samples then.
inline SampledTrace sampled_imbalance() {
  SampledTrace made{imbalance_3_to_1(), {}};
  name_threads(made.trace.editable());
  SampleBuilder set{ms};
  const auto runtime = samples::Origin::runtime;
  const auto main = set.frame("main", "/src/example.c", 40), solve = set.frame("solve", "/src/example.c", 9),
             fork = set.frame("__kmpc_fork_call", "", 0, runtime), clone = set.frame("clone3", "", 0, runtime),
             launch = set.frame("__kmp_launch_worker", "", 0, runtime),
             outlined = set.frame("solve", "/src/example.c", 12), kernel = set.frame("kernel", "/src/kernel.c", 30),
             init = set.frame("init", "/src/example.c", 20), save = set.frame("save", "/src/example.c", 30),
             barrier = set.frame("__kmp_barrier", "", 0, runtime);
  const auto of_init = set.stack({main, init}), of_save = set.stack({main, save}),
             master_works = set.stack({main, solve, fork, outlined, kernel}),
             master_waits = set.stack({main, solve, fork, outlined, barrier}),
             worker_works = set.stack({clone, launch, outlined, kernel}),
             worker_waits = set.stack({clone, launch, outlined, barrier});
  const std::uint64_t begin = start + 5 * ms;
  const auto samples_of = [&](std::uint32_t thread, std::uint64_t from, std::uint64_t to, std::uint32_t stack) {
    for (std::uint64_t at = from; at < to; ++at) set.sample(thread, begin + at * ms + ms / 2, stack);
  };
  for (std::uint64_t at = 0; at < 5; ++at) set.sample(101, start + at * ms + ms / 2, of_init);
  samples_of(101, 0, 10, master_works);
  samples_of(101, 10, 30, master_waits);
  samples_of(101, 30, 35, of_save);
  samples_of(102, 0, 10, worker_works);
  samples_of(102, 10, 12, worker_waits);
  samples_of(102, 27, 30, worker_waits);
  samples_of(103, 0, 8, worker_works);
  samples_of(103, 12, 30, worker_waits);
  samples_of(104, 0, 20, worker_works);
  samples_of(104, 22, 30, worker_works);
  set.pause(102, begin + 12 * ms, begin + 27 * ms, false);
  set.pause(103, begin + 8 * ms, begin + 12 * ms, true);
  set.pause(104, begin + 20 * ms, begin + 22 * ms, true);
  made.samples = set.set();
  count_instructions(made.samples);
  return made;
}

/// `count` samples of the eight threads of make_trace's large trace, on paths of which most are rare.
inline samples::SampleSet many_samples(std::uint64_t count, std::uint64_t length) {
  SampleBuilder set{us};
  std::vector<std::uint32_t> frames;
  for (unsigned i = 0; i < 3000; ++i)
    frames.push_back(set.frame("function_with_a_name_that_takes_its_room_" + std::to_string(i), "/src/many.c", i + 1));
  const std::uint64_t stacks = 150'000;
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  for (std::uint64_t s = 0; s < stacks; ++s) {
    std::vector<std::uint32_t> stack{frames[0], frames[1 + random(4)]};
    for (std::uint64_t depth = 2 + random(20); depth > 0; --depth) stack.push_back(frames[random(frames.size())]);
    set.stack(std::move(stack));
  }
  const std::uint64_t each = count / 8;
  for (std::uint32_t thread = 0; thread < 8; ++thread)
    for (std::uint64_t i = 0; i < each; ++i)
      set.sample(101 + thread, start + i * (length / each),
                 static_cast<std::uint32_t>(random(i % 3 == 0 ? stacks : 20)));
  return set.set();
}

}  // namespace tracer::test
