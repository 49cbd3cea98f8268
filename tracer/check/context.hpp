// SPDX-License-Identifier: BSD-3-Clause
// What all rules need of the archive at hand: its definitions by index, and the state of each location.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/otf2/read/reader.hpp"
#include "tracer/check/check.hpp"
#include "tracer/definitions.hpp"
#include "tracer/number_map.hpp"
#include "tracer/own_number.hpp"
#include "tracer/property_names.hpp"

namespace tracer::check {

using otf2::EventKind;
using otf2::EventView;

struct TaskKey {
  std::uint64_t team = 0;
  std::uint32_t creator = 0, generation = 0;
  bool operator==(const TaskKey&) const = default;
};
struct TaskKeyHash {
  std::size_t operator()(const TaskKey& k) const noexcept {
    return std::hash<std::uint64_t>{}((k.team * 0x9e3779b97f4a7c15u) ^ (std::uint64_t{k.creator} << 32 | k.generation));
  }
};

/// A team that a location is in, or (team undefined) what is below all teams.
struct Frame {
  std::uint64_t team = undefined_ref;
  std::vector<std::uint32_t> open;  ///< regions of its implicit task
  bool in_task = false;             ///< an explicit task encountered the team and goes on after it
  TaskKey task{};
};

struct LocationState {
  std::vector<Frame> frames{Frame{}};
  bool in_task = false;    ///< an explicit task is current
  bool task_done = false;  ///< it is complete, and the switch to the next is to come
  TaskKey task;
  EventKind last_kind = EventKind::none;  ///< but for flushes, samples and metrics; none: there is none in the part
  std::uint32_t last_region = undefined_ref;
  std::uint64_t last_time = 0;
  bool recording = true, is_recording_known = true;
};

/// The construct in the name of an OpenMP region: "critical" of "!$omp critical @file:line".
std::string_view construct_of(std::string_view region_name);

/// A location whose file cannot be read to its end.
struct Unreadable {
  std::uint64_t location;
  std::string error;
};

class CheckContext {
 public:
  /// `part`: of these times, in ticks; null: of the whole.
  struct Shown {
    std::uint64_t from = 0, to = ~std::uint64_t{0};  ///< ticks
    const std::vector<bool>& locations;              ///< in the order of the definitions; empty: all
  };
  CheckContext(const otf2::Trace& trace, const CheckOptions& options, const Shown* part = nullptr);

  const otf2::Trace& trace() const { return trace_; }
  /// What is looked at; null: all.
  const Shown* part() const noexcept { return part_; }
  /// Whether a violation there is one of the part.
  bool is_shown(std::uint64_t location, std::uint64_t time) const {
    if (part_ == nullptr) return true;
    if (time < part_->from || time > part_->to) return false;
    if (part_->locations.empty()) return true;
    const auto found = index_.find(location);
    return found == index_.end() || part_->locations[found->second];
  }
  /// Whether the event that the rules look at is one of the part: events before it and around it only provide what is
  /// open.
  bool is_of_part() const noexcept { return is_of_part_; }
  void set_of_part(bool is) noexcept { is_of_part_ = is; }
  /// Of what lies before the part only what is open at its begin has been given to the rules.
  bool is_opened() const noexcept { return is_opened_; }
  /// After the events that open what is open.
  void set_opened();
  /// It was cut out of a longer trace: what lies across its ends is not all there.
  bool is_part() const { return trace_.info().property(properties::part) != nullptr; }
  /// A filter has left regions out, whose teams, tasks and device operations are still there (docs/filters.md).
  bool is_filtered() const noexcept { return filter_ != nullptr; }
  /// What belongs to an operation may be left out, or lie before what is looked at.
  bool may_lack_counterparts() const { return is_filtered() || is_part() || part() != nullptr; }
  /// What is in it is that of phases: of what a team did together some members' parts may lie before them.
  bool is_of_phases() const {
    return is_filtered() && (filter_->starts_with("PHASE ") || filter_->find("; PHASE ") != filter_->npos);
  }
  /// The archive's property for what was lost; nullptr: nothing, or there is no such property.
  const std::string* loss(std::string_view property) const {
    const auto* lost = trace_.info().property(property);
    return lost != nullptr && *lost != "0" && !lost->empty() ? lost : nullptr;
  }
  const otf2::TraceDefinitions& definitions() const { return trace_.definitions(); }
  const CheckOptions& options() const { return options_; }

  std::size_t index_of(std::uint64_t location) const { return index_.at(location); }
  const LocationState& state(const EventView& e) const { return states_[index_of(e.location)]; }
  const std::vector<LocationState>& states() const { return states_; }
  bool is_stream(std::uint64_t location) const;
  /// A number that the location's process gave, which with devices is the one that made them.
  OwnNumber in_process(std::uint64_t location, std::uint64_t number) const;
  /// By the class of its communicator's paradigm.
  bool is_window_of_accelerator(std::uint64_t window) const;
  std::string location_name(std::uint64_t location) const;
  std::string_view region_name(std::uint64_t region) const;
  std::string_view construct(std::uint64_t region) const { return construct_of(region_name(region)); }
  unsigned role(std::uint64_t region) const;
  bool has_role(std::uint64_t region, RegionRole of) const { return role(region) == static_cast<unsigned>(of); }
  bool is_openmp(std::uint64_t region) const;

  /// The locations of a communicator by rank; empty when it makes no sense.
  const std::vector<std::uint64_t>& members(std::uint64_t comm) const;
  /// Position of a location in a communicator; -1: not in it.
  std::int64_t rank_of(std::uint64_t location, std::uint64_t comm) const;

  /// The regions open in the task that is current, before the event.
  const std::vector<std::uint32_t>& open_regions(const EventView& e) const;
  const std::vector<std::uint32_t>* open_regions(const TaskKey& task) const;

  /// After all rules saw the event.
  void apply(const EventView& event);

  /// Events read per location, and files that could not be: complete at finish().
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  const std::vector<Unreadable>& unreadable() const { return unreadable_; }
  void cannot_read(std::uint64_t location, std::string error) { unreadable_.push_back({location, std::move(error)}); }

 private:
  struct Ranks {
    std::vector<std::uint64_t> members;
    NumberMap<std::int64_t> rank_of;  ///< by member
  };
  std::vector<std::uint32_t>& current(LocationState& state);

  const otf2::Trace& trace_;
  const std::string* const filter_;  ///< the trace's property; null: there is none
  const CheckOptions& options_;
  const Shown* const part_;
  bool is_opened_ = false, is_of_part_ = true;
  NumberMap<std::size_t> index_;
  std::vector<LocationState> states_;
  std::uint64_t first_process_ = undefined_ref;
  std::vector<std::uint64_t> counts_;
  std::vector<Unreadable> unreadable_;
  std::unordered_map<TaskKey, std::vector<std::uint32_t>, TaskKeyHash> tasks_;  ///< the open regions of explicit tasks
  NumberMap<std::shared_ptr<const Ranks>> ranks_;  ///< by communicator; those of a group share
};

}  // namespace tracer::check
