// SPDX-License-Identifier: BSD-3-Clause
// E01-E03: order of time, balance of regions, begin and end of the program.
#include <array>
#include <map>

#include "tracer/check/rule.hpp"

namespace tracer::check {
namespace {

struct TimeOrder final : Rule {
  using Rule::Rule;
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    applies();
    const auto last = c_.state(e).last_time;
    if (e.time < last) add_violation(e, "is before the location's last event, at " + std::to_string(last));
  }
};

/// The region stack belongs to the task: a switch brings another's, also on another thread.
class Balance final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return k == EventKind::enter || k == EventKind::leave || k == EventKind::thread_task_complete ||
           k == EventKind::thread_team_end;
  }
  void event(const EventView& e) override {
    applies();
    switch (e.kind) {
      case EventKind::leave:
        return leave(e);
      case EventKind::thread_task_complete:
        return complete(e);
      case EventKind::thread_team_end:
        if (const auto& open = c_.state(e).frames.back().open; !open.empty() && c_.state(e).frames.size() > 1) {
          add_violation(e, name(open.back()) + " is still open in the implicit task");
        }
        return;
      default:
        return;
    }
  }
  void finish() override {
    for (std::size_t i = 0; i < c_.states().size(); ++i) {
      const auto& s = c_.states()[i];
      for (const auto& frame : s.frames) {
        for (const auto region : frame.open)
          add_violation(d().locations[i].ref, s.last_time, name(region) + " is never left");
      }
    }
  }

 private:
  std::string name(std::uint64_t region) const { return "the region \"" + std::string{c_.region_name(region)} + "\""; }
  void leave(const EventView& e) {
    const auto& open = c_.open_regions(e);
    if (open.empty()) {
      add_violation(e, name(e.field[0]) + " was not entered");
    } else if (open.back() != e.field[0]) {
      add_violation(e, name(e.field[0]) + " is left while " + name(open.back()) + " is open");
    }
  }
  void complete(const EventView& e) {
    const TaskKey task{e.field[0], static_cast<std::uint32_t>(e.field[1]), static_cast<std::uint32_t>(e.field[2])};
    const auto* open = c_.open_regions(task);
    if (open != nullptr && !open->empty()) add_violation(e, name(open->back()) + " is still open in the task");
  }
};

class Program final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    const auto* version = c_.trace().info().version;
    if (version[0] < 2 || (version[0] == 2 && version[1] == 0))
      does_not_apply("OTF2 before 2.1 has no such events");
    else
      applies();
  }
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    const auto* location = d().locations.find(e.location);
    auto& process = processes_[location->group];
    if (process.ended == e.location) add_violation(e, "comes after the program's end on this location");
    if (e.kind == EventKind::program_begin) {
      if (++process.begins > 1) add_violation(e, "the program begins again");
      if (e.position != 1) add_violation(e, "is not the first event of its location");
    } else if (e.kind == EventKind::program_end) {
      if (++process.ends > 1) add_violation(e, "the program ends again");
      if (process.begins == 0) add_violation(e, "the program never began");
      process.ended = e.location;
    }
  }
  void finish() override {
    if (c_.part() != nullptr) return;
    const auto* version = c_.trace().info().version;
    if (version[0] < 2 || (version[0] == 2 && version[1] == 0)) return;
    for (const auto& group : d().location_groups) {
      if (group.type != otf2::values::location_group_process) continue;
      const auto& process = processes_[static_cast<std::uint32_t>(group.ref)];
      if (has_no_events(group.ref)) continue;  // a rank whose trace is not there
      const auto label = "the process \"" + std::string{d().text(group.name)} + "\"";
      if (process.begins == 0) add_violation(label + " has no ProgramBegin");
      if (process.ends == 0) add_violation(label + " has no ProgramEnd");
    }
  }
  bool has_no_events(std::uint64_t group) const {
    if (d().location_groups.size() < 2) return false;
    for (const auto& location : d().locations)
      if (location.group == group && location.events != 0) return false;
    return true;
  }

 private:
  struct Process {
    unsigned begins = 0, ends = 0;
    std::uint64_t ended = otf2::undefined_location;
  };
  std::map<std::uint32_t, Process> processes_;
};

}  // namespace

std::span<const RuleEntry> nesting_rules() {
  static constexpr std::array table{
      RuleEntry{{"E01", "time never decreases on a location"}, make_rule<TimeOrder>},
      RuleEntry{{"E02", "regions are entered and left in balance, per location and task"}, make_rule<Balance>},
      RuleEntry{{"E03", "each process begins and ends once, with the first and last event of one location"},
                make_rule<Program>},
  };
  return table;
}

}  // namespace tracer::check
