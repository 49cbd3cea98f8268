// SPDX-License-Identifier: BSD-3-Clause
// Samples joined with the events around them: call stacks as the user wrote them, and what the thread did then.
//
// A stack as it was taken ends in the runtime: a worker's begins at its thread's start, a task's at whoever executed
// it. Joined with the trace it begins where the region or task was created:
//
//     main > solve > parallel @solve.c:12 > task @solve.c:20 > kernel
//
// The part before the first construct is taken from samples of the thread that encountered the outermost region, in
// that region; where there are none the constructs begin the path.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tracer/report/replay.hpp"
#include "tracer/samples.hpp"

namespace tracer::report {

/// One function, over all samples.
struct FunctionRow {
  std::string name, file;
  std::uint64_t self = 0;     ///< samples with it innermost (in code of the user's, working)
  std::uint64_t inside = 0;   ///< samples with it anywhere
  std::uint64_t waiting = 0;  ///< samples in which it waited in the runtime
};

/// One user's path with what was done there. `ns`: processor time that the samples stand for.
struct PathRow {
  std::vector<std::string> path;  ///< outermost first
  Activity activity = Activity::work;
  std::uint64_t samples = 0;
};

struct SampleThreadRow {
  std::string name;
  std::uint64_t samples = 0;
  std::uint64_t slept = 0, preempted = 0;                  ///< ns in which it did not run
  std::uint64_t preempted_working = 0, slept_working = 0;  ///< of these, while it was in work of the program
  std::uint64_t pauses = 0;
};

struct SampleReport {
  std::uint64_t period = 0, samples = 0, lost = 0;
  std::uint64_t outside = 0;  ///< samples of threads that the trace does not have, or at times before or after it
  std::vector<FunctionRow> functions;  ///< most samples first
  std::vector<PathRow> paths;          ///< in order of the path
  std::vector<SampleThreadRow> threads;
};

/// Feed it to a Replay of the samples' own trace, then ask for the report.
class SampleJoin final : public Observer {
 public:
  SampleJoin(const Definitions& definitions, const samples::SampleSet& set);
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  SampleReport report() const;

 private:
  /// Where in the program's constructs a sample was: interned, since few differ.
  struct Place {
    std::vector<RegionRef> constructs;  ///< outermost region first, then the task
    bool is_master = false;             ///< the thread that encountered the outermost region
    Activity activity = Activity::work;
    bool operator<(const Place& other) const {
      return std::tie(constructs, is_master, activity) < std::tie(other.constructs, other.is_master, other.activity);
    }
  };
  struct Cursor {
    std::size_t next_sample = 0, end_sample = 0, next_pause = 0, end_pause = 0;
  };
  struct StackParts {
    std::vector<std::uint32_t> before,
        after;  ///< the user's frames before the first, and after the last, of the runtime's
    bool has_gap = false, ends_in_runtime = false;
  };
  Place place_of(LocationRef location, const Task& task, Activity activity) const;
  StackParts parts_of(std::uint32_t stack) const;
  std::string name_of_frame(std::uint32_t frame) const;
  std::vector<std::string> path_of(std::uint32_t stack, const Place& place) const;

  const Definitions& definitions_;
  const samples::SampleSet& set_;
  std::vector<RegionClass> classes_;
  std::vector<Cursor> cursors_;  ///< by location
  std::map<std::pair<Place, std::uint32_t>, std::uint64_t> counts_;
  std::map<RegionRef, std::map<std::uint32_t, std::uint64_t>> prefixes_;  ///< stacks of masters, by outermost region
  std::vector<SampleThreadRow> threads_;
  std::uint64_t joined_ = 0;
};

/// For flame graph programs: "main;solve;kernel 17", waits as a last frame in brackets.
std::string to_folded(const SampleReport& report);
/// speedscope.app's file format (one sampled profile, weights in nanoseconds).
std::string to_speedscope(const SampleReport& report, const std::string& name);
std::string to_json(const SampleReport& report);
/// Tables for a terminal.
std::string to_text(const SampleReport& report, std::size_t rows);

}  // namespace tracer::report
