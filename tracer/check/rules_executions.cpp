// SPDX-License-Identifier: BSD-3-Clause
// E21, E22: what the members of a team do together: barriers, single and sections.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/check/rule.hpp"
#include "tracer/number_map.hpp"
#include "tracer/property_names.hpp"

namespace tracer::check {
namespace {

/// A target region that the host runs itself: its thread is a team of its own there, and shares nothing with the other
/// members of the team around it.
bool is_in_target(const CheckContext& c, const EventView& e) {
  const auto& open = c.open_regions(e);
  return std::any_of(open.begin(), open.end(), [&](std::uint32_t region) { return c.construct(region) == "target"; });
}

/// Follows a team from its members' begins to their ends: what all members share of one instance,
/// given to judge() when every member has ended it, or at the end of the trace.
template <typename Shared>
class Instances {
 public:
  explicit Instances(const CheckContext& c) : c_(c) {}

  /// The instance a location is in now, by its innermost team; nullptr: none, or one over a pause: threads come to a
  /// pause at different places of their own, and what each did in it is unknown.
  Shared* of(const EventView& e) {
    const auto& s = c_.state(e);
    if (s.frames.size() < 2) return nullptr;
    Instance* const instance = instance_of(s.frames.back().team, e.location);
    return instance == nullptr || instance->over_pause ? nullptr : &instance->shared;
  }
  void begin(const EventView& e) {
    ++teams_[e.field[0]].begun[e.location];
    // What began in the pause stands at its end.
    if (e.time == last_toggle_) instance_of(e.field[0], e.location)->over_pause = true;
  }
  /// Recording was switched off or on, for all threads: those in a team record it there.
  void toggled(const EventView& e) {
    last_toggle_ = e.time;
    const auto& frames = c_.state(e).frames;
    for (std::size_t i = 1; i < frames.size(); ++i)
      if (Instance* const instance = instance_of(frames[i].team, e.location)) instance->over_pause = true;
  }
  template <typename Judge>
  void end(const EventView& e, Judge&& judge) {
    auto& team = teams_[e.field[0]];
    const auto number = team.begun[e.location];
    const auto found = team.instances.find(number);
    if (found == team.instances.end()) return;
    if (++found->second.ended < c_.members(e.field[0]).size()) return;
    if (!found->second.over_pause) judge(found->second.shared, c_.members(e.field[0]).size());
    team.instances.erase(found);
  }
  template <typename Judge>
  void finish(Judge&& judge) {
    for (auto& [ref, team] : teams_) {
      for (auto& [number, instance] : team.instances)
        if (!instance.over_pause) judge(instance.shared, c_.members(ref).size());
    }
  }

 private:
  struct Instance {
    Shared shared;
    std::size_t ended = 0;
    bool over_pause = false;
  };
  struct Team {
    NumberMap<std::uint64_t> begun;               ///< by location: how often
    std::map<std::uint64_t, Instance> instances;  ///< by that number
  };
  Instance* instance_of(std::uint64_t team, std::uint64_t location) {
    auto& t = teams_[team];
    const auto number = t.begun[location];
    return number == 0 ? nullptr : &t.instances[number];
  }
  const CheckContext& c_;
  std::map<std::uint64_t, Team> teams_;
  std::optional<std::uint64_t> last_toggle_;
};

bool is_team_border(EventKind k) {
  return k == EventKind::thread_team_begin || k == EventKind::thread_team_end;
}

/// Recording was full or the oldest were overwritten: what every member of a team did is unknown then.
bool lacks_events(const CheckContext& c) {
  return c.loss(properties::events_lost) != nullptr || c.is_part() || c.is_of_phases();
}
/// The conversion found and counted what the rule forbids.
bool is_counted(const CheckContext& c, const char* repair) {
  return c.loss(std::string{properties::repaired} + repair) != nullptr;
}
constexpr const char* not_together = "BARRIER_THAT_A_THREAD_LEFT_BEFORE_ALL_HAD_COME";
constexpr const char* not_once = "SINGLE_OR_SECTION_THAT_WAS_NOT_EXECUTED_ONCE";
constexpr const char* why_counted = "the records contradict each other, according to the archive's properties";
constexpr const char* why_lacking =
    "events were lost, or it is a part of a trace or of phases, so the members' parts are incomplete";

/// The k-th barrier of each member is the same one. A `cancel` makes members skip barriers.
class Barriers final : public Rule {
 public:
  explicit Barriers(const CheckContext& c) : Rule(c), instances_(c) {}
  bool wants(EventKind k) const override {
    return !lacks_events(c_) && !is_counted(c_, not_together) &&
           (is_team_border(k) || k == EventKind::enter || k == EventKind::leave || k == EventKind::measurement_on_off);
  }
  void event(const EventView& e) override {
    const auto judge = [this](const Shared& s, std::size_t) { this->judge(s); };
    if (e.kind == EventKind::thread_team_begin) return instances_.begin(e);
    if (e.kind == EventKind::thread_team_end) return instances_.end(e, judge);
    if (e.kind == EventKind::measurement_on_off) return instances_.toggled(e);
    if (c_.state(e).in_task) return;
    const auto construct = c_.construct(e.field[0]);
    const bool cancel = construct == "cancel";
    if ((!cancel && !is_barrier(e.field[0], construct)) || is_in_target(c_, e)) return;
    auto* shared = instances_.of(e);
    if (shared == nullptr) return;
    shared->cancelled |= cancel;
    if (cancel || inside_barrier(e)) return;
    applies();
    e.kind == EventKind::enter ? entered(e, *shared) : left(e, *shared);
  }
  void finish() override {
    if (is_counted(c_, not_together)) does_not_apply(why_counted);
    if (lacks_events(c_)) does_not_apply(why_lacking);
    instances_.finish([this](const Shared& s, std::size_t) { judge(s); });
  }
  /// Of teams that go on: unless a `cancel` or a pause may follow.
  void finish_part() override {
    const auto* complete = c_.trace().info().property("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE");
    if (complete == nullptr || *complete != "true") return;
    for (const auto& region : d().regions)
      if (c_.construct(region.ref) == "cancel") return;
    finish();
  }

 private:
  struct Fault {
    std::uint64_t location, time, position;
    std::string what;
  };
  struct Meeting {
    std::uint64_t first_leave = ~std::uint64_t{0};
    std::size_t left = 0;
  };
  struct Shared {
    NumberMap<std::size_t> entered, left;  ///< by location: how many
    std::deque<Meeting> meetings;
    std::size_t dropped = 0;  ///< meetings that all have left
    bool cancelled = false;
    std::uint64_t faults = 0;
    std::optional<Fault> first;
  };
  bool is_barrier(std::uint64_t region, std::string_view construct) const {
    if (!c_.is_openmp(region)) return false;  // MPI_Barrier is no member's of a team
    if (construct == "taskgroup" || construct == "teams barrier" || construct.ends_with(" wait")) return false;
    return c_.has_role(region, RegionRole::barrier) || c_.has_role(region, RegionRole::implicit_barrier);
  }
  bool inside_barrier(const EventView& e) const {
    const auto& open = c_.open_regions(e);
    const std::size_t outer =
        e.kind == EventKind::enter ? open.size() : open.size() - std::min<std::size_t>(open.size(), 1);
    for (std::size_t i = 0; i < outer; ++i) {
      if (is_barrier(open[i], c_.construct(open[i]))) return true;
    }
    return false;
  }
  Meeting* meeting(Shared& shared, std::size_t number) {
    if (number < shared.dropped) return nullptr;
    while (shared.dropped + shared.meetings.size() <= number) shared.meetings.emplace_back();
    return &shared.meetings[number - shared.dropped];
  }
  void entered(const EventView& e, Shared& shared) {
    const auto number = shared.entered[e.location]++;
    const auto* m = meeting(shared, number);
    if (m != nullptr && e.time <= m->first_leave) return;
    if (shared.faults++ == 0) {
      shared.first = Fault{e.location, e.time, e.position,
                           "Enter: barrier " + std::to_string(number + 1) + " of the team was left already" +
                               (m == nullptr ? "" : ", at " + std::to_string(m->first_leave))};
    }
  }
  void left(const EventView& e, Shared& shared) {
    auto* m = meeting(shared, shared.left[e.location]++);
    if (m == nullptr) return;
    m->first_leave = std::min(m->first_leave, e.time);
    ++m->left;
    const auto members = c_.members(c_.state(e).frames.back().team).size();
    while (!shared.meetings.empty() && shared.meetings.front().left >= members) {
      shared.meetings.pop_front();
      ++shared.dropped;
    }
  }
  void judge(const Shared& shared) {
    if (shared.cancelled) return;
    for (std::uint64_t i = 0; i < shared.faults; ++i)
      add_violation(shared.first->location, shared.first->time, shared.first->what, shared.first->position);
  }
  Instances<Shared> instances_;
};

/// The k-th time each member comes to a construct is the same execution of it.
class Once final : public Rule {
 public:
  explicit Once(const CheckContext& c) : Rule(c), instances_(c) {}
  bool wants(EventKind k) const override {
    return !lacks_events(c_) && !is_counted(c_, not_once) &&
           (is_team_border(k) || k == EventKind::enter || k == EventKind::leave || k == EventKind::measurement_on_off);
  }
  void event(const EventView& e) override {
    if (e.kind == EventKind::thread_team_begin) return instances_.begin(e);
    if (e.kind == EventKind::thread_team_end)
      return instances_.end(e, [this](const Shared& s, std::size_t members) { judge(s, members); });
    if (e.kind == EventKind::measurement_on_off) return instances_.toggled(e);
    const auto role = static_cast<RegionRole>(c_.role(e.field[0]));
    if (role != RegionRole::single && role != RegionRole::sections && role != RegionRole::single_sblock &&
        role != RegionRole::section)
      return;
    if (c_.state(e).in_task || is_in_target(c_, e)) return;
    auto* shared = instances_.of(e);
    if (shared == nullptr) return;
    if (e.kind == EventKind::leave) return left(e, *shared);
    if (role == RegionRole::single || role == RegionRole::sections) {
      const auto visit = ++shared->visits[{e.location, e.field[0]}];
      auto& x = shared->executions[{e.field[0], visit}];
      x.is_single = role == RegionRole::single;
      if (x.visitors++ == 0) x.first = {e.location, e.time, e.position};
      return;
    }
    applies();
    block(e, *shared, role);
  }
  void finish() override {
    if (is_counted(c_, not_once)) does_not_apply(why_counted);
    if (lacks_events(c_)) does_not_apply(why_lacking);
    instances_.finish([this](const Shared& s, std::size_t members) { judge(s, members); });
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct At {
    std::uint64_t location, time, position;
  };
  struct Execution {
    bool is_single = false;
    std::size_t visitors = 0, left = 0;
    std::map<std::uint64_t, unsigned> blocks;  ///< by region of the block: how often
    At first{};
  };
  struct Shared {
    std::map<Key, std::uint64_t> visits;  ///< by location and region
    std::map<Key, Execution> executions;  ///< by region and visit
  };
  /// A single or sections, or a block of one. What all members have left is judged, and needs no memory any more.
  void left(const EventView& e, Shared& shared) {
    const auto visit = shared.visits.find({e.location, e.field[0]});
    if (visit == shared.visits.end()) return;
    const auto found = shared.executions.find({e.field[0], visit->second});
    if (found == shared.executions.end()) return;
    const std::size_t members = c_.members(c_.state(e).frames.back().team).size();
    if (++found->second.left < members) return;
    judge(found->second, members);
    shared.executions.erase(found);
  }
  void block(const EventView& e, Shared& shared, RegionRole role) {
    const auto& open = c_.open_regions(e);
    for (std::size_t i = open.size(); i-- > 0;) {
      const auto outer = static_cast<RegionRole>(c_.role(open[i]));
      if (outer != (role == RegionRole::section ? RegionRole::sections : RegionRole::single)) continue;
      auto& x = shared.executions[{open[i], shared.visits[{e.location, open[i]}]}];
      const auto times = ++x.blocks[e.field[0]];
      if (times > 1 && role == RegionRole::single_sblock) {
        add_violation(e, "\"" + std::string{c_.region_name(e.field[0])} + "\" was executed already");
      }
      return;
    }
    if (c_.is_filtered()) return;  // what it is in may be left out
    add_violation(e, "\"" + std::string{c_.region_name(e.field[0])} + "\" is in no " +
                         (role == RegionRole::section ? "sections" : "single"));
  }
  /// Sections that have a place each; libomp reports the same for all sections of a construct.
  /// A single that all came to, but nobody executed: where the archive has executors at all. A compiler may have made
  /// two places of one construct, of which each thread comes to one (GCC 16 does): the executor's may be the other.
  void judge(const Execution& x, std::size_t members) {
    const auto at = [&](const std::string& what) {
      add_violation(x.first.location, x.first.time, what, x.first.position);
    };
    if (x.is_single && x.blocks.empty() && x.visitors >= members && any_sblock() && !c_.is_filtered())
      at("no thread executed this single");
    for (const auto& [region, times] : x.blocks) {
      if (x.is_single || x.blocks.size() < 2 || times < 2) continue;
      at("\"" + std::string{c_.region_name(region)} + "\" was executed " + std::to_string(times) + " times");
    }
  }
  void judge(const Shared& shared, std::size_t members) {
    for (const auto& execution : shared.executions) judge(execution.second, members);
  }
  bool any_sblock() const {
    for (const auto& region : d().regions) {
      if (region.role == static_cast<unsigned>(RegionRole::single_sblock)) return true;
    }
    return false;
  }
  Instances<Shared> instances_;
};

}  // namespace

std::span<const RuleEntry> execution_rules() {
  static constexpr std::array table{
      RuleEntry{{"E21", "at a barrier all members enter before any leaves"}, make_rule<Barriers>},
      RuleEntry{{"E22", "one member executes a single, and each section is executed once"}, make_rule<Once>},
  };
  return table;
}

}  // namespace tracer::check
