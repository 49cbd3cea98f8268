// SPDX-License-Identifier: BSD-3-Clause
// Samples and scheduling joined with the events around them: where in the program's constructs each sample was, what
// the thread did then, and of each wait how long the thread was not running.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "tracer/replay/replay.hpp"
#include "tracer/samples.hpp"

namespace tracer::report {

/// The kernel's number of a thread, by which samples name it; 0 unknown.
std::uint32_t thread_id_of(const Location& location);

/// Where in the program's constructs a sample was: interned, since few differ.
struct SamplePlace {
  std::vector<RegionRef> constructs;  ///< parallel regions and tasks, outermost first
  RegionRef region = undefined_ref;   ///< the innermost region of all, as a loop, a barrier, a critical region
  bool is_master = false;             ///< of the thread that encountered the outermost region
  Activity activity = Activity::work;
  bool operator<(const SamplePlace& other) const {
    return std::tie(constructs, region, is_master, activity) <
           std::tie(other.constructs, other.region, other.is_master, other.activity);
  }
};

/// Time on the clock, and what of it the thread slept or was preempted. ns.
struct StoppedTime {
  std::uint64_t ns = 0, slept = 0, preempted = 0;
};

/// How others fared at the moment of a sample: threads of the same process.
struct Crowd {
  std::uint32_t working = 0;                                                   ///< the sample's own included
  std::array<std::uint32_t, static_cast<std::size_t>(Activity::count_)> by{};  ///< waiting or idle ones
};

/// Feed it to a Replay of the samples' own trace; after its end it answers.
class SampleJoin final : public Observer {
 public:
  static constexpr std::uint32_t outside = ~std::uint32_t{0};
  /// Both stay the caller's, and there.
  SampleJoin(const Definitions& definitions, const samples::SampleSet& set);
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void finished(std::uint64_t time) override;

  const Definitions& definitions() const { return definitions_; }
  const samples::SampleSet& set() const { return set_; }
  const std::vector<SamplePlace>& places() const { return places_; }
  /// Of each sample of the set: index into places(), or `outside`: a thread that the trace does not have, or a time
  /// before or after it.
  std::uint32_t place(std::size_t sample) const { return place_of_[sample]; }
  /// A location's part of the set's samples: first, one beyond the last.
  std::pair<std::size_t, std::size_t> samples_of(LocationRef location) const { return cursors_[location].samples; }
  /// A location's pauses; where the trace is confined to phases, what of them lies within these.
  std::span<const samples::Pause> pauses_of(LocationRef location) const;
  /// Of a sample that is not outside.
  Crowd crowd(LocationRef location, std::uint64_t time) const;
  /// By what the thread did; then by region too, where the thread's stops were recorded.
  const StoppedTime& stopped(LocationRef location, Activity activity) const;
  const std::map<std::pair<Activity, RegionRef>, StoppedTime>& stopped() const { return by_region_; }

 private:
  static constexpr std::size_t kinds = static_cast<std::size_t>(Activity::count_);
  struct Cursor {
    std::pair<std::size_t, std::size_t> samples, pauses;
    std::size_t next_sample = 0, next_pause = 0, next_time = 0;
    std::uint32_t process = 0;
    std::array<StoppedTime, kinds> stopped{};
    std::vector<samples::Pause> within;  ///< phases
  };
  /// Moments of a process' samples, and how many of its threads did what: changes until finished(), numbers then.
  struct Process {
    std::vector<std::uint64_t> times;
    std::vector<std::array<std::int32_t, kinds>> doing;
  };
  std::uint32_t place_at(LocationRef location, const Task& task, Activity activity);
  void stop(Cursor& cursor, RegionRef region, Activity activity, std::uint64_t from, std::uint64_t to);
  void count(Cursor& cursor, Activity activity, std::uint64_t from, std::uint64_t to);

  const Definitions& definitions_;
  const samples::SampleSet& set_;
  const bool is_confined_;       ///< to phases
  std::vector<Cursor> cursors_;  ///< by location
  std::vector<Process> processes_;
  std::vector<SamplePlace> places_;
  std::map<SamplePlace, std::uint32_t> numbers_;
  std::vector<std::uint32_t> place_of_;
  std::map<std::pair<Activity, RegionRef>, StoppedTime> by_region_;
};

}  // namespace tracer::report
