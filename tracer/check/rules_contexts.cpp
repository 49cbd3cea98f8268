// SPDX-License-Identifier: BSD-3-Clause
// D19, E30-E32: calling contexts, their events, and metrics that count up.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "formats/otf2/read/context_tree.hpp"
#include "formats/otf2/read/task_contexts.hpp"
#include "tracer/check/rule.hpp"
#include "tracer/number_map.hpp"

namespace tracer::check {
namespace {

using otf2::ContextTree;

bool is_context_event(EventKind k) {
  return k == EventKind::calling_context_enter || k == EventKind::calling_context_leave ||
         k == EventKind::calling_context_sample;
}

/// Readers build the tree while they read: who is called comes behind who calls.
struct Contexts final : Rule {
  using Rule::Rule;
  void begin() override {
    std::size_t number = 0;
    NumberMap<std::size_t> defined;
    for (const auto& c : d().calling_contexts) {
      applies();
      const auto label = "calling context " + std::to_string(c.ref);
      if (c.region == undefined_ref) add_violation(label + " has no region");
      if (c.parent != undefined_ref && !defined.contains(c.parent))
        add_violation(label + " comes before its parent " + std::to_string(c.parent));
      defined.emplace(c.ref, number++);
    }
    for (const auto& g : d().interrupt_generators) {
      applies();
      const auto label = "interrupt generator " + std::to_string(g.ref);
      if (g.mode > 1) add_violation(label + " has the mode " + std::to_string(g.mode));
      if (g.base > 1) add_violation(label + " has the base " + std::to_string(g.base));
      if (g.period == 0) add_violation(label + " has no period");
    }
  }
};

struct Exclusive final : Rule {
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return is_context_event(k) || k == EventKind::enter || k == EventKind::leave;
  }
  void event(const EventView& e) override {
    if (is_context_event(e.kind)) {
      applies();
      has_contexts_ = true;
      if (has_regions_) add_violation(e, "is in an archive that has Enter and Leave");
    } else {
      has_regions_ = true;
      if (has_contexts_) add_violation(e, "is in an archive of calling contexts");
    }
  }
  bool has_contexts_ = false, has_regions_ = false;
};

/// OTF2 (CallingContext): the node at the distance is in this context and in the one before, or it is the undefined
/// one; regions that were entered bound it. What a task was in goes with it.
class Distance final : public Rule {
 public:
  explicit Distance(const CheckContext& c) : Rule(c), tasks_(d(), tree_) {
    for (const auto& defined : d().calling_contexts) {
      const std::uint32_t parent = defined.parent == undefined_ref ? ContextTree::root : number(defined.parent);
      numbers_.emplace(defined.ref, tree_.add(parent, defined.region));
    }
  }
  bool wants(EventKind k) const override {
    return is_context_event(k) || k == EventKind::thread_team_begin || k == EventKind::thread_team_end ||
           k == EventKind::thread_task_switch || k == EventKind::thread_task_complete;
  }
  void event(const EventView& e) override {
    if (!is_context_event(e.kind)) return tasks_.follow(e);
    const auto found = numbers_.find(e.field[0]);
    if (found == numbers_.end()) return;  // D02
    applies();
    auto& at = tasks_.location(tasks_.index_of(e.location));
    auto& task = at.current();
    const std::uint32_t context = found->second;
    if (e.kind == EventKind::calling_context_leave) {
      leave(e, at, context);
    } else {
      moved(e, at, context);
      if (e.kind == EventKind::calling_context_enter) task.open.push_back(context);
      at.previous = context;
    }
    task.last = at.previous;
  }

 private:
  std::uint32_t number(std::uint64_t ref) const {
    const auto found = numbers_.find(ref);
    return found == numbers_.end() ? ContextTree::root : found->second;
  }
  void leave(const EventView& e, otf2::TaskContexts::Location& at, std::uint32_t context) {
    auto& open = at.current().open;
    if (open.empty() || open.back() != context)
      add_violation(e, "leaves a context that was not the last to be entered");
    else if (!tree_.is_on_way(context, at.previous))
      add_violation(e, "leaves a context that the location is not in");
    if (!open.empty()) open.pop_back();
    at.previous = tree_.parent(context);
  }
  void moved(const EventView& e, otf2::TaskContexts::Location& at, std::uint32_t context) {
    const std::uint64_t distance = e.field[1];
    const bool is_enter = e.kind == EventKind::calling_context_enter;
    const auto& task = at.current();
    const std::string label = "the unwind distance " + std::to_string(distance) + " ";
    if (is_enter && distance < 2) return add_violation(e, label + "means that nothing was entered");
    if (!task.open.empty() && !tree_.is_on_way(task.open.back(), context))
      return add_violation(e, "is not in the context that was entered last");
    if (distance == 0) {
      if (context != at.previous) add_violation(e, label + "is in another context than the event before");
      return;
    }
    if (distance - 1 > tree_.depth(context)) return add_violation(e, label + "is longer than the context");
    const std::uint32_t kept = tree_.ancestor(context, tree_.depth(context) - static_cast<std::uint32_t>(distance - 1));
    if (kept != ContextTree::root && !tree_.is_on_way(kept, at.previous))
      return add_violation(e, label + "leads to what the event before was not in");
    if (!task.open.empty() && !tree_.is_on_way(tree_.parent(task.open.back()), kept))
      add_violation(e, label + "leads beyond the context that was entered last");
  }

  ContextTree tree_;
  NumberMap<std::uint32_t> numbers_;
  otf2::TaskContexts tasks_;
};

/// Per metric, location and member.
struct Accumulated final : Rule {
  using Rule::Rule;
  bool wants(EventKind kind) const override { return kind == EventKind::metric; }
  void event(const EventView& e) override {
    const auto* metric = d().class_of(d().metrics.find(e.field[0]));
    if (metric == nullptr) return;
    for (std::size_t i = 0; i < std::min(e.values.size(), metric->members.size()); ++i) {
      const auto* member = d().metric_members.find(metric->members[i]);
      constexpr unsigned value_mask = 15, accumulated = 0;
      constexpr std::uint8_t uint64 = 4;
      if (member == nullptr || (member->mode & value_mask) != accumulated || member->value_type != uint64) continue;
      applies();
      auto& last = last_[{e.location, e.field[0], i}];
      if (e.values[i] < last)
        add_violation(e, "\"" + std::string{d().text(member->name)} + "\" is accumulated and falls from " +
                             std::to_string(last) + " to " + std::to_string(e.values[i]));
      last = e.values[i];
    }
  }
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::size_t>, std::uint64_t> last_;
};

}  // namespace

std::span<const RuleEntry> context_definition_rules() {
  static constexpr std::array table{
      RuleEntry{{"D19", "calling contexts are a tree of regions, and interrupt generators have a period"},
                make_rule<Contexts>},
  };
  return table;
}

std::span<const RuleEntry> context_rules() {
  static constexpr std::array table{
      RuleEntry{{"E30", "unwind distances lead to the common part of a context and the one before"},
                make_rule<Distance>},
      RuleEntry{{"E31", "an archive has calling contexts, or Enter and Leave"}, make_rule<Exclusive>},
      RuleEntry{{"E32", "accumulating metrics never decrease"}, make_rule<Accumulated>},
  };
  return table;
}

}  // namespace tracer::check
