// SPDX-License-Identifier: BSD-3-Clause
// E04-E08: forks, joins and the teams between them.
#include <algorithm>
#include <array>
#include <deque>

#include "tracer/check/rule.hpp"
#include "tracer/check/team_instances.hpp"
#include "tracer/number_map.hpp"

namespace tracer::check {
namespace {

bool is_team_event(EventKind k) {
  return k == EventKind::thread_fork || k == EventKind::thread_join || k == EventKind::thread_team_begin ||
         k == EventKind::thread_team_end;
}

/// Feeds a OpenForks with the events; what a join without fork means is E04's business.
void follow(OpenForks& forks, const EventView& e) {
  switch (e.kind) {
    case EventKind::thread_fork:
      return forks.fork(e);
    case EventKind::thread_team_begin:
      return forks.team_begin(e);
    case EventKind::thread_team_end:
      return forks.team_end(e);
    case EventKind::thread_join:
      forks.join(e);
      return;
    default:
      return;
  }
}

class ForkJoin final : public Rule {
 public:
  explicit ForkJoin(const CheckContext& c) : Rule(c), forks_(c) {}
  bool wants(EventKind k) const override { return is_team_event(k); }
  void event(const EventView& e) override {
    applies();
    if (e.kind == EventKind::thread_join) {
      const auto* fork = forks_.innermost(e.location);
      if (fork == nullptr) return add_violation(e, "there is no fork to join");
      if (fork->team_open) add_violation(e, "the team " + std::to_string(fork->team) + " is still open");
    }
    follow(forks_, e);
    forks_.settle(e.time, [](const ForkInstance&) {});
  }
  void finish() override {
    for (const auto& stack : forks_.open()) {
      for (const auto& fork : stack)
        add_violation(fork.location, fork.forked, "ThreadFork: is never joined", fork.position);
    }
  }

 private:
  OpenForks forks_;
};

class TeamNesting final : public Rule {
 public:
  explicit TeamNesting(const CheckContext& c) : Rule(c) {
    if (c.is_filtered()) return;
    for (const auto& region : d().regions)
      parallel_regions_ |= region.role == static_cast<unsigned>(RegionRole::parallel);
  }
  bool wants(EventKind k) const override {
    return k == EventKind::thread_team_begin || k == EventKind::thread_team_end;
  }
  void event(const EventView& e) override {
    applies();
    const auto team = e.field[0];
    if (e.kind == EventKind::thread_team_begin) {
      if (d().comms.contains(team) && c_.rank_of(e.location, team) < 0)
        add_violation(e, "the location is no member of the team " + std::to_string(team));
      return;
    }
    const auto& s = c_.state(e);
    if (s.frames.size() < 2) return add_violation(e, "no team was begun");
    if (s.frames.back().team != team)
      add_violation(e, "the team " + std::to_string(s.frames.back().team) + " is open, not " + std::to_string(team));
    const bool after_parallel = s.last_kind == EventKind::leave && c_.has_role(s.last_region, RegionRole::parallel);
    if (parallel_regions_ && s.last_kind != EventKind::none && !after_parallel)
      add_violation(e, "does not come right after the Leave of a parallel region");
  }
  void finish() override {
    for (std::size_t i = 0; i < c_.states().size(); ++i) {
      const auto& s = c_.states()[i];
      for (std::size_t n = 1; n < s.frames.size(); ++n)
        add_violation(d().locations[i].ref, s.last_time,
                      "the team " + std::to_string(s.frames[n].team) + " is never ended");
    }
  }

 private:
  bool parallel_regions_ = false;  ///< there are, and a filter has left none of them out
};

/// Takes part in each team: begins and ends per member since its last join.
class Membership final : public Rule {
 public:
  explicit Membership(const CheckContext& c) : Rule(c), forks_(c) {}
  bool wants(EventKind k) const override { return is_team_event(k); }
  void event(const EventView& e) override {
    applies();
    forks_.settle(e.time, [this](const ForkInstance& fork) { settle(fork); });
    follow(forks_, e);
    if (e.kind == EventKind::thread_team_begin) seats_[e.field[0]][e.location].push_back({e.time, 0, false});
    if (e.kind == EventKind::thread_team_end) {
      for (auto& stay : seats_[e.field[0]][e.location]) {
        if (stay.ended) continue;
        stay.end = e.time;
        stay.ended = true;
        return;
      }
    }
  }
  void finish() override {
    forks_.settle(~std::uint64_t{0}, [this](const ForkInstance& fork) { settle(fork); });
  }

 private:
  struct Stay {
    std::uint64_t begin, end;
    bool ended;
  };
  using Seats = NumberMap<std::deque<Stay>>;  // by location

  void settle(const ForkInstance& fork) {
    const auto at = [&](const std::string& what) {
      blame({Subject::Kind::team, {}, fork.location, fork.forked});
      add_violation(fork.location, fork.forked, "ThreadFork: " + what, fork.position);
    };
    if (fork.team == undefined_ref) return at("its thread begins no team before the join");
    auto& seats = seats_[fork.team];
    for (const auto member : c_.members(fork.team)) {
      auto& stays = seats[member];
      while (!stays.empty() && stays.front().begin < fork.forked && stays.front().ended) stays.pop_front();
      // What begins at the time of the join may belong to the next fork at that time.
      const auto begun = [&](std::uint64_t last) {
        return std::count_if(stays.begin(), stays.end(),
                             [&](const Stay& s) { return s.begin >= fork.forked && s.begin <= last; });
      };
      const auto before = fork.joined == fork.forked ? 0 : begun(fork.joined - 1);
      const auto inside = before > 0 ? before : std::min<std::ptrdiff_t>(begun(fork.joined), 1);
      if (inside != 1) {
        at(c_.location_name(member) + " begins the team " + std::to_string(fork.team) + " " + std::to_string(inside) +
           " times before the join");
      } else if (!stays.front().ended || stays.front().end > fork.joined) {
        at(c_.location_name(member) + " does not end the team " + std::to_string(fork.team) + " before the join");
      }
      for (auto n = inside; n > 0 && !stays.empty() && (stays.size() > 1 || stays.front().ended); --n)
        stays.pop_front();
    }
  }

  OpenForks forks_;
  NumberMap<Seats> seats_;
};

class TeamSize final : public Rule {
 public:
  explicit TeamSize(const CheckContext& c) : Rule(c), forks_(c) {}
  bool wants(EventKind k) const override { return is_team_event(k); }
  void event(const EventView& e) override {
    if (e.kind == EventKind::thread_team_begin) {
      const auto* fork = forks_.innermost(e.location);
      if (fork != nullptr && fork->team == undefined_ref && fork->requested != 0) {
        applies();
        const auto size = c_.members(e.field[0]).size();
        if (size > fork->requested)
          add_violation(e, "the team has " + std::to_string(size) + " members, " + std::to_string(fork->requested) +
                               " were requested");
      }
    }
    follow(forks_, e);
    forks_.settle(e.time, [](const ForkInstance&) {});
  }

 private:
  OpenForks forks_;
};

class Between final : public Rule {
 public:
  explicit Between(const CheckContext& c) : Rule(c), forks_(c) {}
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    const auto* fork = forks_.innermost(e.location);
    if (fork != nullptr && !fork->team_open && !belongs(e, *fork)) {
      add_violation(e, fork->team == undefined_ref ? "comes between a fork and its team's begin"
                                                   : "comes between a team's end and its join");
    }
    if (!is_team_event(e.kind)) return;
    applies();
    follow(forks_, e);
    forks_.settle(e.time, [](const ForkInstance&) {});
  }

 private:
  static bool belongs(const EventView& e, const ForkInstance& fork) {
    switch (e.kind) {
      case EventKind::thread_team_begin:
        return fork.team == undefined_ref;
      case EventKind::thread_join:
      case EventKind::buffer_flush:
      case EventKind::metric:
      case EventKind::calling_context_sample:
      case EventKind::measurement_on_off:
        return true;
      default:
        return false;
    }
  }
  OpenForks forks_;
};

}  // namespace

std::span<const RuleEntry> team_rules() {
  static constexpr std::array table{
      RuleEntry{{"E04", "every fork is joined, the last one first"}, make_rule<ForkJoin>},
      RuleEntry{
          {"E05", "teams nest, their members begin them, and they end right after the Leave of their parallel region"},
          make_rule<TeamNesting>},
      RuleEntry{{"E06", "between fork and join each member begins and ends the team exactly once"},
                make_rule<Membership>},
      RuleEntry{{"E07", "a team is not larger than requested"}, make_rule<TeamSize>},
      RuleEntry{{"E08", "the forking thread does nothing between fork and team begin, nor between team end and join"},
                make_rule<Between>},
  };
  return table;
}

}  // namespace tracer::check
