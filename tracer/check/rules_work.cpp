// SPDX-License-Identifier: BSD-3-Clause
// E23-E25: thread ids, worksharing, and the program's own counts.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tracer/check/rule.hpp"

namespace tracer::check {
namespace {

class ThreadIds final : public Rule {
 public:
  explicit ThreadIds(const CheckContext& c) : Rule(c), ids_(c.states().size()) {
    for (const auto& a : d().attributes) {
      if (d().text(a.name) == "ThreadId") attribute_ = static_cast<std::uint32_t>(a.ref);
    }
  }
  bool wants(EventKind k) const override { return k == EventKind::thread_team_begin; }
  void event(const EventView& e) override {
    const auto* id = e.attribute(attribute_);
    if (id == nullptr) return;
    applies();
    auto& known = ids_[c_.index_of(e.location)];
    if (known && *known != id->value)
      add_violation(e, "the thread id is " + std::to_string(id->value) + ", it was " + std::to_string(*known));
    known = id->value;
  }

 private:
  std::uint32_t attribute_ = undefined_ref;
  std::vector<std::optional<std::uint64_t>> ids_;
};

/// Orphaned worksharing outside a parallel region is right on a thread that forks, not on a worker.
class WorkInside final : public Rule {
 public:
  explicit WorkInside(const CheckContext& c) : Rule(c), worker_(c.states().size(), -1) {}
  bool wants(EventKind k) const override {
    return k == EventKind::enter || k == EventKind::thread_team_begin || k == EventKind::thread_fork ||
           k == EventKind::program_begin;
  }
  void event(const EventView& e) override {
    auto& worker = worker_[c_.index_of(e.location)];
    if (e.kind == EventKind::thread_team_begin || e.kind == EventKind::thread_fork ||
        e.kind == EventKind::program_begin) {
      if (worker < 0) worker = e.kind == EventKind::thread_team_begin ? 1 : 0;  // the first such event decides
      return;
    }
    if (!is_work(e.field[0])) return;
    applies();
    const auto& s = c_.state(e);
    if (s.frames.size() < 2) {
      if (worker == 1)
        add_violation(e, "\"" + std::string{c_.region_name(e.field[0])} + "\" is outside all teams on a worker");
      return;
    }
    if (s.in_task || c_.is_filtered()) return;
    for (const auto open : s.frames.back().open) {
      if (c_.has_role(open, RegionRole::parallel)) return;
    }
    add_violation(e, "\"" + std::string{c_.region_name(e.field[0])} + "\" is outside the team's parallel region");
  }

 private:
  bool is_work(std::uint64_t region) const {
    const auto* r = d().regions.find(region);
    if (r == nullptr || r->paradigm != otf2::values::paradigm_openmp) return false;
    switch (static_cast<RegionRole>(r->role)) {
      case RegionRole::loop:
      case RegionRole::sections:
      case RegionRole::section:
      case RegionRole::single:
      case RegionRole::single_sblock:
        return true;
      default:
        return false;
    }
  }
  std::vector<int> worker_;  ///< -1: unknown yet
};

class GroundTruth final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind) const override { return !c_.options().expected.empty(); }
  void event(const EventView& e) override {
    ++counts_["events"];
    switch (e.kind) {
      case EventKind::enter:
        ++counts_[std::string{c_.construct(e.field[0])}];
        break;
      case EventKind::calling_context_enter:
        if (const auto* context = d().calling_contexts.find(e.field[0]); context != nullptr)
          ++counts_[std::string{c_.construct(context->region)}];
        break;
      case EventKind::thread_task_create:
        ++counts_["tasks created"];
        break;
      case EventKind::thread_task_complete:
        ++counts_["tasks completed"];
        break;
      case EventKind::thread_acquire_lock:
        ++counts_["lock acquisitions"];
        break;
      case EventKind::thread_release_lock:
        ++counts_["lock releases"];
        break;
      default:
        break;
    }
  }
  void finish() override {
    if (needs_whole()) return;
    if (c_.options().expected.empty()) return does_not_apply("no counts of the program were given (--expect)");
    applies();
    counts_["locations"] = d().locations.size();
    for (const auto& location : d().locations)
      counts_["threads"] += location.type == otf2::values::location_cpu_thread ? 1 : 0;
    for (const auto& [name, count] : c_.options().expected) {
      if (counts_[name] != count)
        add_violation(name + ": " + std::to_string(count) + " in the program, " + std::to_string(counts_[name]) +
                      " in the trace");
    }
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace

std::span<const RuleEntry> work_rules() {
  static constexpr std::array table{
      RuleEntry{{"E23", "a location's thread id does not change"}, make_rule<ThreadIds>},
      RuleEntry{{"E24", "worksharing is inside its team's parallel region"}, make_rule<WorkInside>},
      RuleEntry{{"E25", "totals equal the program's own counts"}, make_rule<GroundTruth>},
  };
  return table;
}

}  // namespace tracer::check
