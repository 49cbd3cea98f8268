// SPDX-License-Identifier: BSD-3-Clause
// What is open on one location, event by event: a stack of regions that follows the location's tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"
#include "tracer/timeline.hpp"

namespace tracer::index {

/// Whose a region is. An explicit task, by its team, its creator's rank there and its generation; else the implicit
/// task of a team (generation 0), by how many teams the location is in: `rank`.
struct Owner {
  CommRef comm = undefined_ref;
  std::uint32_t rank = 0;
  std::uint64_t generation = 0;
  bool is_explicit() const noexcept { return generation != 0; }
  auto operator<=>(const Owner&) const = default;
};

struct OpenRegion {
  RegionRef region = undefined_ref;
  std::uint64_t begin = 0;  ///< of its Enter, or of the switch to its task
  Owner owner;
  bool continues = false;  ///< its task was switched to
};

struct Fork {
  Owner from;               ///< the task that forked
  std::uint32_t teams = 0;  ///< that the location was in
};

/// Regions deeper than that are left out.
inline constexpr std::size_t most_depth = 512;

struct LaneState {
  std::vector<OpenRegion> open;  ///< the innermost last
  Owner current;
  std::uint32_t teams = 0;   ///< that the location is in
  std::vector<Fork> forks;   ///< that are open
  std::uint64_t deeper = 0;  ///< regions that are open beyond most_depth
};

/// Where the open regions of explicit tasks are that do not run.
class TaskShelf {
 public:
  virtual ~TaskShelf() = default;
  virtual void put(const Owner& task, std::vector<RegionRef> regions) = 0;
  /// Outermost first; empty where nothing of it is open.
  virtual std::vector<RegionRef> take(const Owner& task) = 0;
};

class SliceSink {
 public:
  virtual ~SliceSink() = default;
  virtual void opened(std::uint32_t /*depth*/, const OpenRegion&) {}
  virtual void closed(std::uint32_t /*depth*/, const OpenRegion&, std::uint64_t /*end*/) {}
};

/// What a lane calls what is no region of the archive, as slice_names() (tracer/timeline.hpp) has it.
struct LaneNames {
  RegionRef copies = undefined_ref;  ///< of the first direction; undefined_ref: the location is no stream of a device
  RegionRef not_recorded = undefined_ref;
};
inline LaneNames lane_names_of(const Definitions& definitions, LocationRef location) {
  const bool is_stream = location < definitions.locations.size() &&
                         definitions.locations[location].kind == LocationKind::accelerator_stream;
  return {is_stream ? static_cast<RegionRef>(definitions.regions.size()) : undefined_ref,
          name_of_not_recorded(definitions)};
}

/// Follows the events of one location. A Leave closes what its task opened inside of the region; one without Enter is
/// left out. When a task is switched from, its regions close; when it is switched to, they open anew. While recording
/// is off a region stands for that, from one event to the next.
class Lane {
 public:
  LaneState state;

  explicit Lane(const LaneNames& names) : names_{names} {}

  void step(const Event& event, TaskShelf& shelf, SliceSink& sink);

 private:
  void push(RegionRef region, std::uint64_t time, bool continues, SliceSink& sink);
  void pop(std::uint64_t time, SliceSink& sink);
  void leave(RegionRef region, std::uint64_t time, SliceSink& sink);
  void switch_to(const Owner& task, std::uint64_t time, TaskShelf& shelf, SliceSink& sink);
  void end_copy(std::uint64_t time, SliceSink& sink);
  void handle(const Event& event, TaskShelf& shelf, SliceSink& sink);
  bool is_off() const noexcept { return !state.open.empty() && state.open.back().region == names_.not_recorded; }
  Owner implicit() const noexcept { return {undefined_ref, state.teams, 0}; }

  LaneNames names_;
};

}  // namespace tracer::index
