// SPDX-License-Identifier: BSD-3-Clause
// Call paths as the user wrote them, of samples joined with the events.
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
#include <unordered_map>
#include <vector>

#include "tracer/base/budget.hpp"
#include "tracer/replay/samples/join.hpp"

namespace tracer::report {

/// A function, or a construct.
struct PathFrame {
  std::string name, file;               ///< file: of a function, "" unknown
  RegionRef construct = undefined_ref;  ///< the region of a construct
};

/// A call path: its last frame, and the path before it. Node 0 is the empty path; parents come before their children.
struct PathNode {
  std::uint32_t parent = 0, frame = 0;
};

/// What samples have in common. Kinds are numbered.
struct SampleKind {
  std::uint32_t node = 0;
  Activity activity = Activity::work;
  RegionRef region = undefined_ref;          ///< the innermost, undefined_ref outside of all
  RegionRef construct = undefined_ref;       ///< the innermost parallel region or task
  std::uint32_t leaf = SampleJoin::outside;  ///< the innermost frame of the user's in the set, `outside`: none
  bool in_kernel = false;                    ///< as the last frame of the path shows
  bool operator<(const SampleKind& other) const {
    return std::tie(node, activity, region, construct, leaf, in_kernel) <
           std::tie(other.node, other.activity, other.region, other.construct, other.leaf, other.in_kernel);
  }
};

class SamplePaths {
 public:
  /// Of a join whose replay is over; it must stay. `raw`: the stacks as they were taken, with all of the runtime's and
  /// the tool's frames, and no constructs. Throws tracer::Error where the paths are more than the samples can have.
  explicit SamplePaths(const SampleJoin& join, bool raw = false);

  const std::vector<PathFrame>& frames() const { return frames_; }
  const std::vector<PathNode>& nodes() const { return nodes_; }
  const std::vector<SampleKind>& kinds() const { return kinds_; }
  /// Of a sample of the set: index into kinds(), or SampleJoin::outside.
  std::uint32_t kind(std::size_t sample) const { return kind_of_[sample]; }
  /// Frames from the outermost on.
  std::vector<std::uint32_t> path(std::uint32_t node) const;

 private:
  /// The user's frames before the first, and after the last, of the runtime's.
  struct Parts {
    std::vector<std::uint32_t> before, after;
    bool has_gap = false;
  };
  Parts parts_of(std::uint32_t stack) const;
  void count_prefixes();
  /// Of the stacks of those who encountered a region the most frequent one's part before it; empty: there is none.
  const std::vector<std::uint32_t>& before_region(RegionRef region);
  std::uint32_t node_of(std::uint32_t stack, const SamplePlace& place);
  std::uint32_t raw_node_of(std::uint32_t stack);
  std::uint32_t child(std::uint32_t parent, std::uint32_t frame);
  std::uint32_t function(std::uint32_t frame);
  std::uint32_t construct(RegionRef region);
  std::uint32_t intern(PathFrame frame);
  std::uint32_t leaf_of(std::uint32_t stack) const;
  bool is_in_kernel(std::uint32_t stack) const;

  const SampleJoin& join_;
  const samples::SampleSet& set_;
  const std::vector<RegionClass> classes_;
  std::vector<PathFrame> frames_;
  std::vector<PathNode> nodes_;
  Budget room_;  ///< of nodes
  std::vector<SampleKind> kinds_;
  std::vector<std::uint32_t> kind_of_;
  std::map<std::tuple<std::string, std::string, RegionRef>, std::uint32_t> frame_numbers_;
  std::vector<std::uint32_t> functions_;                                  ///< by frame of the set: its frame here
  std::unordered_map<std::uint64_t, std::uint32_t> node_numbers_;         ///< by parent and frame
  std::map<RegionRef, std::map<std::uint32_t, std::uint64_t>> prefixes_;  ///< stacks of masters, by outermost region
  std::map<RegionRef, std::vector<std::uint32_t>> before_;
};

}  // namespace tracer::report
