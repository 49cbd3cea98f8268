// SPDX-License-Identifier: BSD-3-Clause
// E15-E18: parameters, attributes, flushes, and recording switched off.
#include <array>

#include "tracer/check/rule.hpp"

namespace tracer::check {
namespace {

namespace v = otf2::values;

struct Parameters final : Rule {
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return k == EventKind::parameter_string || k == EventKind::parameter_int || k == EventKind::parameter_unsigned_int;
  }
  void event(const EventView& e) override {
    applies();
    if (c_.open_regions(e).empty()) add_violation(e, "no region is open");
    const auto* parameter = d().parameters.find(e.field[0]);
    const auto type = e.kind == EventKind::parameter_string ? v::parameter_string
                      : e.kind == EventKind::parameter_int  ? v::parameter_int
                                                            : v::parameter_uint;
    if (parameter != nullptr && parameter->type != type)
      add_violation(e, "the parameter \"" + std::string{d().text(parameter->name)} + "\" is of another type");
  }
};

struct Attributes final : Rule {
  using Rule::Rule;
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    for (const auto& a : e.attributes) {
      applies();
      const auto* definition = d().attributes.find(a.attribute);
      if (definition == nullptr || definition->type == 0 || definition->type == a.type) continue;
      add_violation(e, "the attribute \"" + std::string{d().text(definition->name)} + "\" is of type " +
                           std::to_string(definition->type) + ", its value of type " + std::to_string(a.type));
    }
  }
};

struct Flushes final : Rule {
  using Rule::Rule;
  bool wants(EventKind k) const override { return k == EventKind::buffer_flush; }
  void event(const EventView& e) override {
    applies();
    if (e.field[0] < e.time) add_violation(e, "ends at " + std::to_string(e.field[0]) + ", before it starts");
  }
};

struct RecordingOff final : Rule {
  using Rule::Rule;
  bool wants(EventKind) const override { return true; }
  void event(const EventView& e) override {
    if (e.kind == EventKind::measurement_on_off) {
      applies();
      if (c_.state(e).is_recording_known && (e.field[0] == 1) == c_.state(e).recording)
        add_violation(e, e.field[0] == 1 ? "recording is on already" : "recording is off already");
      return;
    }
    // The end of the program is written in any case.
    if (!c_.state(e).recording && e.kind != EventKind::program_end) add_violation(e, "recording is off");
  }
};

}  // namespace

std::span<const RuleEntry> value_rules() {
  static constexpr std::array table{
      RuleEntry{{"E15", "parameters come inside a region and are of their type"}, make_rule<Parameters>},
      RuleEntry{{"E16", "attributes are of their type"}, make_rule<Attributes>},
      RuleEntry{{"E17", "a buffer flush ends after it starts"}, make_rule<Flushes>},
      RuleEntry{{"E18", "nothing happens while recording is off"}, make_rule<RecordingOff>},
  };
  return table;
}

}  // namespace tracer::check
