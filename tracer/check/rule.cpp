// SPDX-License-Identifier: BSD-3-Clause
// See rule.hpp.
#include "tracer/check/rule.hpp"

namespace tracer::check {

RuleResult Rule::result() const {
  RuleResult f;
  f.count = count_;
  f.first = first_;
  f.why = why_;
  f.subjects = subjects_;
  f.places = places_;
  f.outcome = count_ > 0 ? Outcome::violated : applies_ ? Outcome::holds : Outcome::not_applicable;
  return f;
}

void Rule::add_violation(std::string what) {
  if (++count_ == 1) first_.what = what;
  if (c_.options().keep_places) places_.push_back({"", false, 0, 0, std::move(what)});
}

void Rule::add_violation(const EventView& at, std::string what) {
  if (!c_.is_shown(at.location, at.time)) return;
  const auto kind = at.name();
  add_violation(
      at.location, at.time,
      (kind.empty() ? "event of kind " + std::to_string(static_cast<int>(at.kind)) : std::string{kind}) + ": " + what,
      at.position);
}

void Rule::add_violation(std::uint64_t location, std::uint64_t time, std::string what, std::uint64_t position) {
  if (!c_.is_shown(location, time)) return;
  at_event_ = true;
  if (++count_ != 1 && !c_.options().keep_places) return;
  const Place place{c_.location_name(location), true, time, position, std::move(what)};
  if (count_ == 1) first_ = place;
  if (c_.options().keep_places) places_.push_back(place);
}

}  // namespace tracer::check
