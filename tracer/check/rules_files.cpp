// SPDX-License-Identifier: BSD-3-Clause
// D01-D06: the archive's files, references, counts and clock.
#include <array>

#include "formats/otf2/common/file.hpp"
#include "tracer/check/rule.hpp"

namespace tracer::check {
namespace {

using otf2::ReferenceKind;

struct AnchorName final : Rule {
  using Rule::Rule;
  void begin() override {
    applies();
    const auto name = c_.trace().info().anchor.filename().string();
    if (name != "traces.otf2") add_violation("the anchor is called " + name);
  }
};

class References final : public Rule {
 public:
  using Rule::Rule;
  void begin() override {
    applies();
    c_.trace().for_each_reference([&](const otf2::ReferenceUse& use) {
      if (exempt(use)) return;
      if (!d().defined(use.kind, use.ref)) {
        add_violation(std::string{use.record} + " " + std::to_string(use.self) + ": its " + std::string{use.field} +
                      " is " + what(use.kind, use.ref));
      }
    });
    for (const auto& duplicate : d().duplicates) add_violation(duplicate + " is defined more than once");
  }
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    const auto& row = otf2::row_of(e.kind);
    for (std::size_t i = 0; i < row.fields; ++i) {
      const auto kind = row.field[i].refers_to;
      if (kind == ReferenceKind::none || kind == ReferenceKind::io_paradigm) continue;
      if (e.field[i] == undefined_ref && kind != ReferenceKind::region && kind != ReferenceKind::comm) continue;
      if (!d().defined(kind, e.field[i]))
        add_violation(e, "its " + std::string{row.field[i].name} + " is " + what(kind, e.field[i]));
    }
    if (e.kind == EventKind::thread_fork && !d().defined(ReferenceKind::paradigm, e.field[0])) {
      add_violation(e, "its model is " + what(ReferenceKind::paradigm, e.field[0]));
    }
    for (const auto& a : e.attributes) {
      if (!d().attributes.contains(a.attribute))
        add_violation(e, "it has " + what(ReferenceKind::attribute, a.attribute));
      if (a.type < otf2::values::type_string || a.type > 25 || a.value == undefined_ref ||
          a.value == otf2::undefined_location)
        continue;
      const auto kind = static_cast<ReferenceKind>(a.type - 10);
      if (!d().defined(kind, a.value)) add_violation(e, "an attribute's value is " + what(kind, a.value));
    }
  }

 private:
  static std::string what(ReferenceKind kind, std::uint64_t ref) {
    return std::string{name_of(kind)} + " " + std::to_string(ref) + ", which is not defined";
  }
  /// A paradigm is only defined when it was active: regions may be of others. An I/O paradigm likewise.
  bool exempt(const otf2::ReferenceUse& use) const {
    if (use.kind == ReferenceKind::io_paradigm) return true;
    if (use.kind != ReferenceKind::paradigm || use.record == "ParadigmProperty") return false;
    if (use.record != "Group") return true;
    const auto* group = d().groups.find(use.self);
    return group == nullptr || group->type < otf2::values::group_comm_locations ||
           group->type > otf2::values::group_comm_self;
  }
};

struct Files final : Rule {
  using Rule::Rule;
  void begin() override {
    applies();
    for (const auto& location : d().locations) {
      for (const auto& file :
           {c_.trace().info().event_file(location.ref), c_.trace().info().local_definition_file(location.ref)}) {
        if (!otf2::size_of_file(file)) add_violation(c_.location_name(location.ref) + ": there is no " + file.string());
      }
    }
  }
  void finish() override {
    for (const auto& [location, error] : c_.unreadable()) {
      if (otf2::size_of_file(c_.trace().info().event_file(location)))
        add_violation(c_.location_name(location) + ": " + error);
    }
  }
};

struct Counts final : Rule {
  using Rule::Rule;
  void begin() override {
    applies();
    compare("locations", c_.trace().info().locations, d().locations.size());
    compare("definitions", c_.trace().info().definitions, d().records);
  }
  void finish() override {
    if (c_.part() != nullptr) return;
    for (std::size_t i = 0; i < d().locations.size(); ++i) {
      const auto& location = d().locations[i];
      if (location.events != c_.counts()[i]) {
        add_violation(c_.location_name(location.ref) + ": " + std::to_string(location.events) + " events announced, " +
                      std::to_string(c_.counts()[i]) + " there");
      }
    }
  }
  void compare(const char* what, std::uint64_t announced, std::uint64_t found) {
    if (announced != found)
      add_violation("the anchor announces " + std::to_string(announced) + " " + what + ", there are " +
                    std::to_string(found));
  }
};

struct Clock final : Rule {
  using Rule::Rule;
  void begin() override {
    applies();
    constexpr std::uint64_t year = 31'556'952'000'000'000;  // ns
    const auto& clock = d().clock;
    if (d().clock_definitions == 0) return add_violation("there are no clock properties");
    if (d().clock_definitions > 1)
      add_violation("clock properties are defined " + std::to_string(d().clock_definitions) + " times");
    if (clock.resolution <= 1'000'000)
      add_violation("a resolution of " + std::to_string(clock.resolution) + " ticks per second is too coarse");
    if (clock.offset + clock.length < clock.offset)
      add_violation("the trace's length of " + std::to_string(clock.length) + " is a placeholder");
    constexpr std::uint64_t not_known = ~std::uint64_t{0};  // OTF2_UNDEFINED_TIMESTAMP
    if (clock.realtime != not_known && (clock.realtime < 20 * year || clock.realtime > 230 * year)) {
      add_violation("the real time of the first event, " + std::to_string(clock.realtime) + ", is no ns since 1970");
    }
  }
};

class ClockRange final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    applies();
    first_ = std::min(first_, e.time);
    last_ = std::max(last_, e.time);
    const auto& clock = d().clock;
    if (e.time < clock.offset)
      add_violation(e, "is before the clock's range, which begins at " + std::to_string(clock.offset));
    if (e.time > clock.offset && e.time - clock.offset > clock.length) {
      add_violation(e, "is after the clock's range, which ends at " + std::to_string(clock.offset + clock.length));
    }
  }
  void finish() override {
    if (first_ > last_ || c_.part() != nullptr) return;
    const auto& clock = d().clock;
    if (first_ > clock.offset)
      add_violation("the range begins at " + std::to_string(clock.offset) + ", the first event is at " +
                    std::to_string(first_));
    if (last_ - clock.offset < clock.length) {
      add_violation("the range ends at " + std::to_string(clock.offset + clock.length) + ", the last event is at " +
                    std::to_string(last_));
    }
  }

 private:
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;
};

}  // namespace

std::span<const RuleEntry> file_rules() {
  static constexpr std::array table{
      RuleEntry{{"D01", "the anchor file is called traces.otf2, as readers expect"}, make_rule<AnchorName>},
      RuleEntry{{"D02", "every reference is defined, once"}, make_rule<References>},
      RuleEntry{{"D03", "every location has its .evt and .def file, which can be read to the end"}, make_rule<Files>},
      RuleEntry{{"D04", "the announced numbers of events, locations and definitions are true"}, make_rule<Counts>},
      RuleEntry{{"D05", "the clock is sane: one definition, finer than 1 us, real length, real time in ns"},
                make_rule<Clock>},
      RuleEntry{{"D06", "all events lie inside the clock's range, and the range is tight"}, make_rule<ClockRange>},
  };
  return table;
}

}  // namespace tracer::check
