// SPDX-License-Identifier: BSD-3-Clause
// D07-D12: location groups, system tree, communicators, RMA windows, metrics.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/check/rule.hpp"
#include "tracer/number_map.hpp"

namespace tracer::check {
namespace {

namespace v = otf2::values;

std::string in_quotes(std::string_view text) {
  return "\"" + std::string{text} + "\"";
}

bool is_device_node(const otf2::SystemNodeDef* node) {
  if (node == nullptr) return false;
  for (const auto domain : node->domains) {
    if (domain == v::domain_accelerator_device) return true;
  }
  return false;
}

struct GroupTypes final : Rule {
  using Rule::Rule;
  void begin() override {
    if (d().locations.empty()) add_violation("no location is defined: other readers refuse the archive");
    for (const auto& location : d().locations) {
      applies();
      const auto* group = d().location_groups.find(location.group);
      if (group == nullptr) continue;  // D02
      if (!fits(location.type, group->type)) {
        add_violation(c_.location_name(location.ref) + " of type " + std::to_string(location.type) +
                      " is in the location group " + in_quotes(d().text(group->name)) + " of type " +
                      std::to_string(group->type));
      }
    }
    for (const auto& group : d().location_groups) creating_group(group);
  }
  /// Before OTF2 3.0 there were groups of processes only, and streams belonged to them.
  bool fits(unsigned location, unsigned group) const {
    const bool is_stream = location == v::location_accelerator_stream;
    if (!is_stream && location != v::location_cpu_thread && location != v::location_metric) return false;
    if (group == v::location_group_accelerator) return location != v::location_cpu_thread;
    return group == v::location_group_process && (!is_stream || c_.trace().info().version[0] < 3);
  }
  void creating_group(const otf2::LocationGroupDef& group) {
    if (group.type == v::location_group_process) return;
    const auto* creator = d().location_groups.find(group.creating_group);
    if (creator == nullptr || creator->type != v::location_group_process) {
      add_violation("the location group " + in_quotes(d().text(group.name)) + " was created by no process");
    }
  }
};

struct OneTree final : Rule {
  using Rule::Rule;
  void begin() override {
    applies();
    std::size_t roots = 0;
    for (const auto& node : d().nodes) {
      if (node.parent == undefined_ref) ++roots;
      if (!reaches_root(node.ref))
        add_violation("the system tree node " + in_quotes(d().text(node.name)) + " is below itself");
    }
    if (roots != 1) add_violation("the system tree has " + std::to_string(roots) + " roots");
    for (const auto& group : d().location_groups) {
      const auto* node = d().nodes.find(group.system_tree_parent);
      if (node == nullptr) {
        add_violation("the location group " + in_quotes(d().text(group.name)) + " is at no system tree node");
      } else if (is_device_node(node) != (group.type == v::location_group_accelerator)) {
        add_violation("the location group " + in_quotes(d().text(group.name)) + " is below " +
                      in_quotes(d().text(node->name)) +
                      (is_device_node(node) ? ", a device" : ", which is no accelerator device"));
      }
    }
  }
  /// What the nodes on the way have been found to do holds for all below them.
  bool reaches_root(std::uint64_t from) {
    std::vector<std::uint64_t> way;
    bool reaches = false;
    for (std::uint64_t at = from;;) {
      const auto* node = d().nodes.find(at);
      if (at == undefined_ref || node == nullptr) {  // D02
        reaches = true;
        break;
      }
      const auto [known, is_new] = reaches_root_.try_emplace(at, false);
      if (!is_new) {
        reaches = known->second;  // false as well where it is on this way
        break;
      }
      way.push_back(at);
      at = node->parent;
    }
    for (const std::uint64_t node : way) reaches_root_[node] = reaches;
    return reaches;
  }
  NumberMap<bool> reaches_root_;  ///< by node
};

struct CommLocations final : Rule {
  using Rule::Rule;
  void begin() override {
    std::map<unsigned, unsigned> all, teams;  // by paradigm
    for (const auto& group : d().groups) {
      if (group.type == v::group_comm_group) ++teams[group.paradigm];
      if (group.type != v::group_comm_locations) continue;
      applies();
      ++all[group.paradigm];
      // A part of an MPI job defines its own rank's location only (docs/formats/job-parts.md).
      const auto unknown = group.paradigm == v::paradigm_mpi
                               ? std::count(group.members.begin(), group.members.end(), otf2::undefined_location)
                               : 0;
      std::set<std::uint64_t> distinct(group.members.begin(), group.members.end());
      if (unknown > 0) distinct.erase(otf2::undefined_location);
      if (distinct.size() + static_cast<std::size_t>(unknown) != group.members.size())
        add_violation("the group " + std::to_string(group.ref) + " of all locations names one twice");
    }
    for (const auto& [paradigm, count] : all) {
      if (count > 1)
        add_violation("paradigm " + std::to_string(paradigm) + " has " + std::to_string(count) +
                      " COMM_LOCATIONS groups");
    }
    for (const auto& [paradigm, count] : teams) {
      applies();
      if (!all.contains(paradigm))
        add_violation("paradigm " + std::to_string(paradigm) + " has communicator groups but no COMM_LOCATIONS group");
    }
  }
};

struct Comms final : Rule {
  using Rule::Rule;
  void begin() override {
    for (const auto& group : d().groups)
      if (group.type == v::group_comm_locations) all_[group.paradigm] = group.members.size();
    NumberSet seen;
    for (const auto& comm : d().comms) {
      applies();
      const auto label = "the communicator " + std::to_string(comm.ref);
      if (const auto* group = d().groups.find(comm.group); group != nullptr) {
        const auto [fault, is_new] = faults_.try_emplace(group->ref);
        if (is_new) fault->second = fault_of(*group);
        if (!fault->second.empty()) add_violation(label + fault->second);
      }
      if (comm.parent != undefined_ref && !seen.contains(comm.parent)) {
        add_violation(label + " is defined before its parent " + std::to_string(comm.parent));
      }
      seen.insert(comm.ref);
    }
  }

 private:
  /// What is wrong with all communicators over the group; "" nothing.
  std::string fault_of(const otf2::GroupDef& group) {
    if (group.type == v::group_comm_self) return {};
    if (group.type != v::group_comm_group)
      return " is over group " + std::to_string(group.ref) + ", which is no COMM_GROUP";
    const std::size_t all = all_[group.paradigm];
    NumberSet distinct;
    for (const auto member : group.members) {
      if (member >= all)
        return ": its group has member " + std::to_string(member) + " of " + std::to_string(all) + " locations";
      if (!distinct.insert(member).second) return ": its group has member " + std::to_string(member) + " twice";
    }
    return {};
  }
  std::map<std::uint64_t, std::string> faults_;    ///< by group
  std::unordered_map<unsigned, std::size_t> all_;  ///< the COMM_LOCATIONS of each paradigm: how many
};

struct Windows final : Rule {
  using Rule::Rule;
  void begin() override {
    std::map<const void*, std::pair<bool, bool>> known;  // hosts and streams, by the members that communicators share
    for (const auto& window : d().windows) {
      if (!c_.is_window_of_accelerator(window.ref)) continue;
      applies();
      const auto& members = c_.members(window.comm);
      const auto [found, is_new] = known.try_emplace(&members);
      auto& [hosts, streams] = found->second;
      if (is_new)
        for (const auto member : members) (c_.is_stream(member) ? streams : hosts) = true;
      if (!hosts) add_violation("the RMA window " + in_quotes(d().text(window.name)) + " has no host thread");
      if (!streams) add_violation("the RMA window " + in_quotes(d().text(window.name)) + " has no stream");
    }
  }
};

class Metrics final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    for (const auto& metric : d().metrics) {
      applies();
      const auto label = "metric " + std::to_string(metric.ref);
      if (!metric.is_instance) {
        if (metric.members.empty()) add_violation(label + ", a class, has no members");
        continue;
      }
      const auto* base = d().metrics.find(metric.metric_class);
      if (base == nullptr || base->is_instance)
        add_violation(label + " is an instance of " + std::to_string(metric.metric_class) + ", which is no class");
      else if (base->recorder_kind != otf2::values::recorder_abstract)
        add_violation(label + " is an instance of " + std::to_string(metric.metric_class) + ", which is not abstract");
      if (!d().locations.contains(metric.recorder)) add_violation(label + " has no recorder");
      if (!scope_is_defined(metric)) add_violation(label + " has no scope");
    }
  }
  bool wants(EventKind kind) const override { return kind == EventKind::metric; }
  void event(const EventView& e) override {
    applies();
    const auto* metric = d().metrics.find(e.field[0]);
    if (metric != nullptr && metric->is_instance) {
      if (metric->recorder != e.location)
        add_violation(e, "the metric's recorder is " + c_.location_name(metric->recorder));
      metric = d().metrics.find(metric->metric_class);
    } else if (metric != nullptr && metric->recorder_kind == otf2::values::recorder_abstract) {
      add_violation(e, "the metric is an abstract class: only its instances are recorded");
    }
    if (metric == nullptr) return;
    if (metric->members.size() != e.values.size()) {
      return add_violation(
          e, std::to_string(e.values.size()) + " values for " + std::to_string(metric->members.size()) + " members");
    }
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      const auto* member = d().metric_members.find(metric->members[i]);
      if (member != nullptr && member->value_type != e.types[i])
        add_violation(e, "value " + std::to_string(i) + " is not of its member's type");
    }
  }

 private:
  bool scope_is_defined(const otf2::MetricDef& m) const {
    switch (m.scope_type) {
      case 0:
        return d().locations.contains(m.scope);
      case 1:
        return d().location_groups.contains(m.scope);
      case 2:
        return d().nodes.contains(m.scope);
      case 3:
        return d().groups.contains(m.scope);
      default:
        return false;
    }
  }
};

}  // namespace

std::span<const RuleEntry> structure_rules() {
  static constexpr std::array table{
      RuleEntry{{"D07",
                 "there is a location; processes hold CPU threads, accelerators hold streams and name the process that "
                 "created them"},
                make_rule<GroupTypes>},
      RuleEntry{{"D08", "one system tree, with devices below accelerator nodes and processes not"}, make_rule<OneTree>},
      RuleEntry{{"D09", "one COMM_LOCATIONS group per paradigm, of distinct locations"}, make_rule<CommLocations>},
      RuleEntry{{"D10", "a communicator is over a COMM_GROUP and comes after its parent"}, make_rule<Comms>},
      RuleEntry{{"D11", "the RMA window of an accelerator has host threads and streams"}, make_rule<Windows>},
      RuleEntry{
          {"D12", "metric instances have an abstract class, a recorder and a scope; metric events fit their class"},
          make_rule<Metrics>},
  };
  return table;
}

}  // namespace tracer::check
