// SPDX-License-Identifier: BSD-3-Clause
// A rule: what it looks at, and how it reports a violation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tracer/check/context.hpp"

namespace tracer::check {

/// One rule's state over one archive. Definitions are there from the start; events come in order of
/// time over all locations (equal times in any order); finish() after the last.
class Rule {
 public:
  explicit Rule(const CheckContext& context) : c_(context) {}
  virtual ~Rule() = default;
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;

  /// Looks at the definitions.
  virtual void begin() {}
  /// Does event() want this kind? Who wants Enter and Leave, and no events of calling contexts, gets those as Enter and
  /// Leave of their regions.
  virtual bool wants(EventKind) const { return false; }
  virtual void event(const EventView&) {}
  virtual void finish() {}
  /// Instead, where the part of the archive that is looked at ends before it.
  virtual void finish_part() {}

  RuleResult result() const;
  bool violated() const { return count_ > 0; }
  /// At an event, not of a definition or a file.
  bool violated_at_event() const { return at_event_; }

 protected:
  /// Something that the rule speaks of is there; a rule without is not applicable.
  void applies() {
    if (c_.is_of_part()) applies_ = true;
  }
  /// Of a violation.
  void blame(Subject subject) {
    if (subjects_.size() < most_subjects) subjects_.push_back(std::move(subject));
  }
  void does_not_apply(std::string why) { why_ = std::move(why); }
  /// In a part of the archive the rule cannot be judged. True: it is one.
  bool needs_whole() {
    if (c_.part() == nullptr) return false;
    applies_ = false;
    why_ = "needs the whole archive";
    return true;
  }

  void add_violation(std::string what);  ///< a definition, a file
  void add_violation(const EventView& at, std::string what);
  void add_violation(std::uint64_t location, std::uint64_t time, std::string what, std::uint64_t position = 0);

  const otf2::TraceDefinitions& d() const { return c_.definitions(); }
  const CheckContext& c_;

 private:
  bool applies_ = false, at_event_ = false;
  static constexpr std::size_t most_subjects = 10'000;
  std::uint64_t count_ = 0;
  std::vector<Subject> subjects_;
  Place first_;
  std::vector<Place> places_;
  std::string why_;
};

using RulePointer = std::unique_ptr<Rule>;

struct RuleEntry {
  RuleRow row;
  RulePointer (*make)(const CheckContext&);
};

template <typename T>
RulePointer make_rule(const CheckContext& context) {
  return std::make_unique<T>(context);
}

/// The parts of the table, in order.
std::span<const RuleEntry> file_rules();                // D01-D06
std::span<const RuleEntry> structure_rules();           // D07-D12
std::span<const RuleEntry> content_rules();             // D13-D18
std::span<const RuleEntry> context_definition_rules();  // D19
std::span<const RuleEntry> nesting_rules();             // E01-E03
std::span<const RuleEntry> team_rules();                // E04-E08
std::span<const RuleEntry> task_rules();                // E09-E11
std::span<const RuleEntry> device_rules();              // E12-E14
std::span<const RuleEntry> value_rules();               // E15-E18
std::span<const RuleEntry> memory_rules();              // E19, E20
std::span<const RuleEntry> execution_rules();           // E21, E22
std::span<const RuleEntry> work_rules();                // E23-E25
std::span<const RuleEntry> mpi_rules();                 // E26-E28
std::span<const RuleEntry> one_sided_rules();           // E29
std::span<const RuleEntry> context_rules();             // E30-E32
std::span<const RuleEntry> io_rules();                  // E33

}  // namespace tracer::check
