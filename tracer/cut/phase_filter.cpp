// SPDX-License-Identifier: BSD-3-Clause
// See phase_filter.hpp.
#include "tracer/cut/phase_filter.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "tracer/cut/filter.hpp"
#include "tracer/cut/left_out_regions.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/kept_phases.hpp"
#include "tracer/replay/process_groups.hpp"
#include "tracer/replay/vain_searches.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {
namespace {

std::string phases_of(const Definitions& definitions) {
  constexpr std::size_t most = 10;
  std::set<std::string> names;
  for (const Region& region : definitions.regions)
    if (is_phase(region)) names.insert(region.name);
  std::string text;
  std::size_t n = 0;
  for (const std::string& name : names) {
    if (n++ == most) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::vector<bool> chosen_regions(const Definitions& definitions, const std::vector<std::string>& patterns) {
  std::vector<bool> chosen(definitions.regions.size());
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!is_phase(definitions.regions[i]) || !matches_phase(pattern, definitions.regions[i].name)) continue;
      chosen[i] = any = true;
    }
    if (any) continue;
    const std::string there = phases_of(definitions);
    throw Error{"no phase of the trace is called '" + pattern + "'; " +
                (there.empty() ? "the program named none." : "there are: " + there + ".")};
  }
  return chosen;
}

class WithinPhases final : public SourceOver, private EventVisitor {
 public:
  WithinPhases(EventSource& source, const std::vector<std::string>& patterns)
      : SourceOver{source},
        is_chosen_{chosen_regions(definitions_, patterns)},
        process_of_{processes_of_locations(definitions_)} {
    std::string text;
    for (const std::string& pattern : patterns) text += (text.empty() ? "" : "; ") + std::string{phase_rule} + pattern;
    record_filter(definitions_, text);
    remove_sums(definitions_);
  }
  void read(EventVisitor& visitor) override {
    left_out_.emplace(definitions_.locations.size(), visitor);
    states_.assign(definitions_.locations.size(), {});
    stacks_.clear();
    open_.clear();
    source_.read(*this);
    left_out_->finish();
  }

 private:
  using Task = std::tuple<CommRef, std::uint64_t, std::uint64_t>;  ///< as TaskSwitch names it
  struct Entered {
    RegionRef region;
    bool is_kept;
  };
  using Stack = std::vector<Entered>;
  struct State {
    std::optional<Task> task;  ///< explicit: its regions go with it to other threads
    Stack stack;               ///< of what is in no explicit task
  };

  Stack& stack_of(State& state) { return state.task ? stacks_[*state.task] : state.stack; }

  bool enter(LocationRef location, RegionRef region) {
    if (is_chosen(region)) ++open_[process_of_[location]];
    const auto open = open_.find(process_of_[location]);
    const bool keep = open != open_.end() && open->second != 0;
    stack_of(states_[location]).push_back({region, keep});
    return keep;
  }
  bool leave(LocationRef location, RegionRef region) {
    if (is_chosen(region)) --open_[process_of_[location]];
    Stack& stack = stack_of(states_[location]);
    const auto entered =
        std::find_if(stack.rbegin(), stack.rend(), [region](const Entered& e) { return e.region == region; });
    if (entered == stack.rend()) {
      in_vain_.add(stack.size());
      return false;
    }
    const bool keep = entered->is_kept;
    stack.erase(std::next(entered).base());
    return keep;
  }
  bool is_chosen(RegionRef region) const { return region < is_chosen_.size() && is_chosen_[region]; }
  bool is_open(LocationRef location) const {
    const auto open = open_.find(process_of_[location]);
    return open != open_.end() && open->second != 0;
  }

  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    const bool is_kept = location >= states_.size() || keeps(location, event);
    const bool is_border = event.type == EventType::enter || event.type == EventType::leave;
    if (is_kept || is_border) left_out_->pass(location, event, attributes, [&](RegionRef) { return !is_kept; });
  }
  bool keeps(LocationRef location, const Event& event) {
    State& state = states_[location];
    switch (event.type) {
      case EventType::enter:
        return enter(location, event.ref);
      case EventType::leave:
        return leave(location, event.ref);
      case EventType::metric_uint:
        return is_open(location);
      case EventType::task_switch:
        state.task = event.b == 0 ? std::optional<Task>{} : Task{event.ref, event.a, event.b};
        return true;
      case EventType::task_complete:
        stacks_.erase(Task{event.ref, event.a, event.b});
        if (state.task == Task{event.ref, event.a, event.b}) state.task.reset();
        return true;
      default:
        return true;
    }
  }

  std::vector<bool> is_chosen_;  ///< by region
  std::vector<std::uint32_t> process_of_;
  std::optional<LeftOutRegions> left_out_;
  std::vector<State> states_;
  std::map<Task, Stack> stacks_;
  VainSearches in_vain_;
  std::map<std::uint32_t, std::uint64_t> open_;  ///< by process: executions of chosen phases
};

}  // namespace

std::unique_ptr<EventSource> within_phases(EventSource& source, const std::vector<std::string>& patterns) {
  return std::make_unique<WithinPhases>(source, patterns);
}

}  // namespace tracer::report
