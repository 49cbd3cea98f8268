// SPDX-License-Identifier: BSD-3-Clause
// Samples and scheduling in sum: functions, call paths, what ran while others waited, and how much of a wait
// the thread was not running.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/replay/regions.hpp"

namespace tracer::report {

struct TextOptions;
class SampleJoin;
class SamplePaths;

/// A function or construct, over all samples.
struct FunctionRow {
  std::string name, file;
  std::uint32_t line = 0;                     ///< of its most frequent samples; 0 unknown
  RegionRef construct = undefined_ref;        ///< the region, of a construct
  std::uint64_t self = 0;                     ///< samples with it innermost (in code of the user's, working)
  std::uint64_t kernel = 0;                   ///< of self: the kernel ran for it
  std::uint64_t inside = 0;                   ///< samples with it anywhere
  std::uint64_t waiting = 0;                  ///< samples in which it waited in the runtime
  std::vector<std::uint64_t> counted;         ///< by counter, in samples with it innermost, working
  std::vector<std::uint64_t> counted_inside;  ///< in samples with it anywhere, working
};

/// A counter that was read with the samples, over all of them.
struct CounterRow {
  std::string name;  ///< as perf calls it
  bool nanoseconds = false;
  std::uint64_t total = 0, waiting = 0;  ///< waiting: of it while threads waited
};

/// The threads' states by the OpenMP runtime, at the times of samples that signals took.
struct StateRow {
  std::uint16_t state = 0;    ///< ompt_state_t
  std::uint64_t wait_id = 0;  ///< what for, as the runtime calls it; 0: it did not wait, or for nothing that has a name
  std::uint64_t samples = 0;
};

/// One user's path with what was done there.
struct PathRow {
  std::vector<std::string> path;  ///< outermost first
  Activity activity = Activity::work;
  std::uint64_t samples = 0;
};

using SampleTimes = std::array<std::uint64_t, static_cast<std::size_t>(Activity::count_)>;

/// Code that ran while other threads of the process waited: each moment of waiting is shared by those who worked then.
struct BlameRow {
  std::string name, file;
  std::uint32_t line = 0;
  RegionRef construct = undefined_ref;  ///< parallel region or task in which it ran; undefined_ref outside of all
  SampleTimes ns{};                     ///< of the others: at barriers, for tasks, for locks, idle
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t part : ns) sum += part;
    return sum;
  }
};

/// Waiting at a region, by threads whose stops were recorded; what is neither slept nor preempted ran, as a wait that
/// spins does. ns.
struct WaitRow {
  RegionRef region = undefined_ref;
  std::string name;
  Activity activity = Activity::work;
  std::uint64_t ns = 0, slept = 0, preempted = 0;
};

struct SampleThreadRow {
  LocationRef location = 0;
  std::string name;
  std::uint64_t samples = 0, pauses = 0;
  std::uint64_t slept = 0, preempted = 0;                  ///< ns in which it did not run, also before its first event
  std::uint64_t preempted_working = 0, slept_working = 0;  ///< of these, while it was in work of the program
  std::uint64_t working = 0;                               ///< ns of the program's work, running or not
};

struct SampleReport {
  std::uint64_t kernel = 0;  ///< of samples: the kernel ran for the program's own work
  std::uint64_t period = 0, samples = 0, lost = 0;
  std::uint64_t pauses = 0;
  std::string lacks;                   ///< what the system let samples not have, and why; "" nothing
  std::uint64_t without_counters = 0;  ///< threads that lack some of the counters, or all
  std::uint64_t outside = 0;  ///< samples of threads that the trace does not have, or at times before or after it
  std::vector<FunctionRow> functions;  ///< most samples first
  std::vector<PathRow> paths;          ///< in order of the path
  std::vector<BlameRow> blame;         ///< most time first
  std::vector<WaitRow> waits;          ///< most time first
  std::vector<SampleThreadRow> threads;
  std::vector<CounterRow> counters;
  std::vector<StateRow> states;  ///< most samples first
  bool empty() const { return samples == 0 && pauses == 0 && outside == 0; }
};

/// `join`: whose replay is over. `paths`: of it. `with_paths`: with a row for each path, of which there may be many.
SampleReport report_of(const SampleJoin& join, const SamplePaths& paths, bool with_paths = false);

/// For flame graph programs: "main;solve;kernel 17", waits as a last frame in brackets.
std::string to_folded(const SampleReport& report);
/// speedscope.app's file format (one sampled profile, weights in nanoseconds).
std::string to_speedscope(const SampleReport& report, const std::string& name);
std::string to_json(const SampleReport& report);
/// Tables for a terminal.
std::string to_text(const SampleReport& report, const TextOptions& options);

}  // namespace tracer::report
