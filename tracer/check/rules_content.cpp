// SPDX-License-Identifier: BSD-3-Clause
// D13-D18: names, duplicates, unused definitions, values of the announced level, properties.
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "tracer/check/rule.hpp"
#include "tracer/property_names.hpp"

namespace tracer::check {
namespace {

namespace v = otf2::values;
using otf2::ReferenceKind;

struct Names final : Rule {
  using Rule::Rule;
  void begin() override {
    applies();
    const auto require = [&](const char* kind, const auto& table) {
      for (const auto& item : table) {
        if (d().text(item.name).empty())
          add_violation(std::string{kind} + " " + std::to_string(item.ref) + " has no name");
      }
    };
    require("region", d().regions);
    require("location", d().locations);
    require("location group", d().location_groups);
    require("system tree node", d().nodes);
    require("attribute", d().attributes);
    require("parameter", d().parameters);
    require("metric member", d().metric_members);
    require("paradigm", d().paradigms);
    for (const auto& region : d().regions) place(region);
  }
  /// OpenMP constructs are distinguished by their place in the source.
  void place(const otf2::RegionDef& region) {
    const auto name = d().text(region.name);
    const auto file = d().text(region.source_file);
    if (!name.starts_with("!$omp ") || file.empty() || region.begin_line == 0) return;
    const auto ending = "@" + std::string{file.substr(file.rfind('/') + 1)} + ":" + std::to_string(region.begin_line);
    if (!name.ends_with(ending))
      add_violation("region " + std::to_string(region.ref) + ", " + std::string{name} + ", does not end in " + ending);
  }
};

struct DuplicateRegions final : Rule {
  using Rule::Rule;
  void begin() override {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, unsigned, unsigned, std::string_view,
                           std::uint32_t, std::uint32_t>;
    std::map<Key, std::uint64_t> seen;
    for (const auto& r : d().regions) {
      applies();
      const auto [first, is_new] =
          seen.emplace(Key{d().text(r.name), d().text(r.canonical), d().text(r.description), r.role, r.paradigm,
                           d().text(r.source_file), r.begin_line, r.end_line},
                       r.ref);
      if (!is_new)
        add_violation("region " + std::to_string(r.ref) + ", " + std::string{d().text(r.name)} + ", equals region " +
                      std::to_string(first->second));
    }
  }
};

/// Definitions that only list and link the others are not checked: locations, their groups, nodes, paradigms.
class Unused final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    // A filter takes events away, not what is defined for them; so does cutting a part out.
    filtered_ = c_.is_filtered() || c_.is_part() || needs_whole();
    if (filtered_) return;
    applies();
    c_.trace().for_each_reference([&](const otf2::ReferenceUse& use) { use_of(use.kind, use.ref); });
  }
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    const auto& row = otf2::row_of(e.kind);
    for (std::size_t i = 0; i < row.fields; ++i) {
      if (row.field[i].refers_to != ReferenceKind::none) use_of(row.field[i].refers_to, e.field[i]);
    }
    if (e.kind == EventKind::program_begin) {
      for (const auto argument : e.values) use_of(ReferenceKind::string, argument);
    }
    for (const auto& a : e.attributes) {
      use_of(ReferenceKind::attribute, a.attribute);
      if (a.type >= v::type_string && a.type <= 25) use_of(static_cast<ReferenceKind>(a.type - 10), a.value);
    }
  }
  void finish() override {
    if (filtered_) return;
    report(ReferenceKind::region, d().regions);
    report(ReferenceKind::string, d().strings);
    report(ReferenceKind::attribute, d().attributes);
    report(ReferenceKind::parameter, d().parameters);
    report(ReferenceKind::comm, d().comms);
    report(ReferenceKind::group, d().groups);
    report(ReferenceKind::metric, d().metrics);
    report(ReferenceKind::metric_member, d().metric_members);
    report(ReferenceKind::calling_context, d().calling_contexts);
    report(ReferenceKind::source_code_location, d().source_code_locations);
  }

 private:
  bool filtered_ = false;
  void use_of(ReferenceKind kind, std::uint64_t ref) {
    auto& used = used_[static_cast<std::size_t>(kind)];
    if (ref >= (std::uint64_t{1} << 26)) return;  // undefined, or sparse references that are not checked
    if (ref >= used.size()) used.resize(ref + 1);
    used[ref] = true;
  }
  template <typename T>
  void report(ReferenceKind kind, const T& table) {
    const auto& used = used_[static_cast<std::size_t>(kind)];
    for (const auto& item : table) {
      if (item.ref < used.size() && used[item.ref]) continue;
      if (item.ref >= (std::uint64_t{1} << 26) || is_listing(item)) continue;
      add_violation(std::string{name_of(kind)} + " " + std::to_string(item.ref) + described(item) +
                    " is used by nothing");
    }
  }
  /// Groups of all locations count for what they are; the empty string is always there.
  template <typename T>
  bool is_listing(const T& item) const {
    if constexpr (std::is_same_v<T, otf2::GroupDef>) return item.type == v::group_comm_locations;
    if constexpr (std::is_same_v<T, otf2::StringDef>) return item.text.empty();
    return false;
  }
  template <typename T>
  std::string described(const T& item) const {
    if constexpr (std::is_same_v<T, otf2::StringDef>) {
      return " \"" + item.text.substr(0, 60) + "\"";
    } else if constexpr (requires { item.name; }) {
      return " \"" + std::string{d().text(item.name)} + "\"";
    }
    return "";
  }
  std::array<std::vector<bool>, static_cast<std::size_t>(ReferenceKind::count_)> used_;
};

/// The archive's version announces the level. Unknown levels are not checked.
class Level final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    const auto* version = c_.trace().info().version;
    if (version[0] > 3 || (version[0] == 3 && version[1] > 2))
      return does_not_apply("the archive's level is newer than 3.2");
    applies();
    const unsigned minor = version[0] == 3 ? version[1] : 0;
    const unsigned last_role = minor >= 1 ? 40 : 38, last_paradigm = minor >= 1 ? 25 : 24,
                   last_group = minor >= 2 ? 7 : 6;
    for (const auto& r : d().regions) {
      limit("role", "region", r.ref, r.role, last_role);
      limit("paradigm", "region", r.ref, r.paradigm, last_paradigm);
    }
    for (const auto& p : d().paradigms) {
      limit("number", "paradigm", p.ref, static_cast<unsigned>(p.ref), last_paradigm);
      limit("class", "paradigm", p.ref, p.paradigm_class, 3);
    }
    for (const auto& l : d().locations) limit("type", "location", l.ref, l.type, 3);
    for (const auto& g : d().location_groups) limit("type", "location group", g.ref, g.type, 2);
    for (const auto& g : d().groups) {
      limit("type", "group", g.ref, g.type, last_group);
      limit("paradigm", "group", g.ref, g.paradigm, last_paradigm);
    }
    for (const auto& a : d().attributes) limit("type", "attribute", a.ref, a.type, 25);
    for (const auto& p : d().parameters) limit("type", "parameter", p.ref, p.type, 2);
    for (const auto& n : d().nodes) {
      for (const auto domain : n.domains) limit("domain", "system tree node", n.ref, domain, 8);
    }
  }

 private:
  void limit(const char* what, const char* kind, std::uint64_t ref, unsigned value, unsigned last) {
    if (value > last)
      add_violation(std::string{kind} + " " + std::to_string(ref) + " has the " + what + " " + std::to_string(value) +
                    ", which this level does not define");
  }
};

/// The completeness that the anchor promises, against what the events show.
class Properties final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    for (const Property& one : c_.trace().info().properties) {
      if (!one.name.starts_with("OTF2::") || !one.name.ends_with("COMPLETE")) continue;
      applies();
      if (one.value != "true" && one.value != "false")
        add_violation("the property " + one.name + " is \"" + one.value + "\"");
    }
    threads_ = promised("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE");
    locks_ = promised("OTF2::THREAD_LOCK_EVENT_COMPLETE");
    if (!threads_ && !locks_) return;
    for (const auto* name : {properties::events_lost, properties::dropped}) {
      if (const auto* lost = c_.loss(name))
        add_violation(std::string{name} + " is " + *lost + ", but the archive claims complete events");
    }
  }
  bool wants(EventKind k) const override {
    return k == EventKind::thread_fork || k == EventKind::thread_join || k == EventKind::thread_team_begin ||
           k == EventKind::thread_team_end || k == EventKind::thread_acquire_lock ||
           k == EventKind::thread_release_lock || k == EventKind::measurement_on_off;
  }
  void event(const EventView& e) override {
    switch (e.kind) {
      case EventKind::thread_fork:
        ++forks_;
        break;
      case EventKind::thread_join:
        --forks_;
        break;
      case EventKind::thread_team_begin:
        ++teams_;
        break;
      case EventKind::thread_team_end:
        --teams_;
        break;
      case EventKind::thread_acquire_lock:
        ++held_;
        break;
      case EventKind::thread_release_lock:
        --held_;
        break;
      default:
        if (e.field[0] != 1 && (threads_ || locks_))
          add_violation(e, "recording was off, but the archive claims complete events");
    }
  }
  void finish() override {
    if (c_.part() != nullptr) return;
    if (threads_ && forks_ != 0)
      add_violation("fork and join events are declared complete, and " + std::to_string(forks_) +
                    " forks have no join");
    if (threads_ && teams_ != 0)
      add_violation("fork and join events are declared complete, and " + std::to_string(teams_) +
                    " team begins have no end");
    if (locks_ && held_ != 0)
      add_violation("lock events are declared complete, and " + std::to_string(held_) +
                    " acquisitions have no release");
  }

 private:
  bool promised(const char* name) const {
    const auto* value = c_.trace().info().property(name);
    return value != nullptr && *value == "true";
  }
  bool threads_ = false, locks_ = false;
  std::int64_t forks_ = 0, teams_ = 0, held_ = 0;
};

struct LocationNames final : Rule {
  using Rule::Rule;
  void begin() override {
    std::set<std::pair<std::uint32_t, std::string_view>> seen;
    for (const auto& location : d().locations) {
      applies();
      if (!seen.emplace(location.group, d().text(location.name)).second)
        add_violation(c_.location_name(location.ref) + " has another's name in its group");
    }
  }
};

}  // namespace

std::span<const RuleEntry> content_rules() {
  static constexpr std::array table{
      RuleEntry{{"D13", "nothing has an empty name, and a construct's name ends in @file:line of its region"},
                make_rule<Names>},
      RuleEntry{{"D14", "no region is defined twice under two references"}, make_rule<DuplicateRegions>},
      RuleEntry{{"D15", "every definition is used"}, make_rule<Unused>},
      RuleEntry{{"D16", "enumeration values are those of the announced OTF2 level"}, make_rule<Level>},
      RuleEntry{{"D17", "the archive's properties on completeness are true"}, make_rule<Properties>},
      RuleEntry{{"D18", "location names are unique in their group"}, make_rule<LocationNames>},
  };
  return table;
}

}  // namespace tracer::check
