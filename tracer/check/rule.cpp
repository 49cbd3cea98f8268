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
  f.outcome = count_ > 0 ? Outcome::violated : applies_ ? Outcome::holds : Outcome::not_applicable;
  return f;
}

void Rule::add_violation(std::string what) {
  if (++count_ == 1) first_.what = std::move(what);
}

void Rule::add_violation(const EventView& at, std::string what) {
  const auto kind = at.name();
  add_violation(
      at.location, at.time,
      (kind.empty() ? "event of kind " + std::to_string(static_cast<int>(at.kind)) : std::string{kind}) + ": " + what,
      at.position);
}

void Rule::add_violation(std::uint64_t location, std::uint64_t time, std::string what, std::uint64_t position) {
  if (++count_ != 1) return;
  first_ = {c_.location_name(location), true, time, position, std::move(what)};
}

}  // namespace tracer::check
