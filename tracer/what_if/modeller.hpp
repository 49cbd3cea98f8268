// SPDX-License-Identifier: BSD-3-Clause
// Makes a model of each execution of a parallel region while the trace is replayed, and has it simulated.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include "tracer/replay/comm_members.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/vain_searches.hpp"
#include "tracer/report/measures/integral.hpp"
#include "tracer/what_if/model.hpp"
#include "tracer/what_if/ranks.hpp"
#include "tracer/what_if/what_if.hpp"

namespace tracer::report {

class Modeller final : public Observer {
 public:
  Modeller(const Definitions& definitions, const Replay& replay, const std::vector<Scenario>& scenarios,
           std::uint64_t task_overhead, RankModel& ranks);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t) override;
  void task_created(LocationRef location, Task& creator, Task& task) override;
  void task_dependence(Task& source, Task& sink) override;
  void team_begun(LocationRef location, Team& team, Task& implicit) override;
  void team_left(LocationRef location, Team& team, Task&) override;
  void team_ended(Team& team) override;
  void fill(WhatIf& result);
  std::string why_off() const;

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Known {
    RegionModel model;
    std::unordered_map<const Task*, std::uint32_t> numbers;
    std::uint64_t paused_before = 0;  ///< with recording off, of its process until it began
  };
  struct State {
    std::shared_ptr<Known> known;
    RegionModel* model = nullptr;
    std::unordered_map<const Task*, std::uint32_t>* numbers = nullptr;
    std::uint32_t rank = 0, loops = 0, singles = 0, loop = none, single = none;
    RegionRef loop_region = undefined_ref, single_region = undefined_ref;
    std::size_t depth = 0;
    bool in_chunk = false;
    std::uint64_t chunk_begin = 0, chunk_ns = 0;
    std::vector<Held> held;  ///< locks, the outermost first, each with the work since the last one inside it
  };

  /// Processes go on beside each other: the job takes as long as the one that ends last.
  struct Process {
    std::uint32_t rank = undefined_ref;
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), last = 0;
    Integral paused;  ///< recording is off: no time of the model's
    std::uint64_t recorded_in_regions = 0;
    std::vector<std::uint64_t> in_regions;  ///< of each scenario
    std::uint64_t length() const { return last - first - std::min(last - first, paused.value(last)); }
    std::uint64_t end() const { return first + length(); }
    std::uint64_t serial() const { return length() - std::min(length(), recorded_in_regions); }
  };
  static constexpr std::size_t most_chunks = std::size_t{1} << 16;  ///< of one loop; more can be split as one likes
  bool is_chunk(RegionRef region) const;
  void end_chunk(State& state);
  void acquire(State& state, LocationRef location, const OwnNumber& lock);
  void release(State& state, LocationRef location, const OwnNumber& lock);
  void put_held(State& state, LocationRef location, Held& held);
  bool add_work(State& state, const Task& task, std::uint64_t ns);
  static bool is_inside_implicit(const Task& task);
  std::uint32_t rank_of(LocationRef location, CommRef comm);
  Process& process_of(LocationRef location);
  std::uint64_t wall(std::size_t scenario, std::uint64_t begin);

  /// Whether a region's name, or its file and line, is meant by `text`.
  bool names(std::size_t region, const std::string& text) const;
  void mark(RegionRef region);
  /// The runtime reports a wait and the waiting in it: one is enough.
  bool nested_wait(const Task& task) const;
  Ops* ops_of(State& state, const Task& task);
  void put(State& state, const Task& task, Op op);

  const Definitions& definitions_;
  const Replay& replay_;
  const std::uint64_t task_overhead_;  ///< ns of each task, as recorded
  RankModel& ranks_;
  VainSearches in_vain_;
  const CommMembers members_;
  std::unordered_map<std::uint32_t, std::unordered_map<LocationRef, std::uint32_t>> ranks_of_groups_;
  std::vector<Scenario> all_;
  std::vector<std::vector<bool>> balanced_, without_;  ///< by scenario and region: which it names
  std::vector<std::vector<bool>> locks_;               ///< by scenario and lock: nobody waits for it
  std::vector<bool> balanced_matched_, lock_matched_;  ///< by scenario
  std::vector<Process> processes_;
  std::vector<State> states_;
  std::unordered_map<const Team*, std::shared_ptr<Known>> teams_;
  std::unordered_map<OwnNumber, std::uint32_t, OwnNumber::Hash> lock_numbers_;  ///< by process and number
  std::map<RegionRef, std::int64_t> off_;        ///< by region: how much longer the model takes than it did
  std::map<RegionRef, bool> has_unseen_chunks_;  ///< by region: loops hand out chunks that are not in the trace
  std::uint64_t tasks_ = 0;
  std::uint32_t largest_ = 0, schedule_ = undefined_ref, iterations_ = undefined_ref;
  std::uint64_t work_ = 0, outside_ = 0;  ///< ns in parallel regions; of that in no construct that shares work
};

}  // namespace tracer::report
