// SPDX-License-Identifier: BSD-3-Clause
// See check.hpp: all rules over one pass.
#include "tracer/check/check.hpp"

#include <algorithm>
#include <array>

#include "tracer/check/rule.hpp"
#include "tracer/error.hpp"

namespace tracer::check {
namespace {

const std::vector<RuleEntry>& table() {
  static const std::vector<RuleEntry> all = [] {
    std::vector<RuleEntry> entries;
    for (const auto part :
         {file_rules(), structure_rules(), content_rules(), context_definition_rules(), nesting_rules(), team_rules(),
          task_rules(), device_rules(), value_rules(), memory_rules(), execution_rules(), work_rules(), mpi_rules(),
          one_sided_rules(), context_rules(), io_rules()}) {
      entries.insert(entries.end(), part.begin(), part.end());
    }
    return entries;
  }();
  return all;
}

/// The rules that want each kind of event.
using Interest = std::array<std::vector<Rule*>, 256>;

Interest interest_of(const std::vector<RulePointer>& all) {
  Interest interest;
  for (std::size_t kind = 0; kind < interest.size(); ++kind) {
    for (const auto& rule : all) {
      if (rule->wants(static_cast<EventKind>(kind))) interest[kind].push_back(rule.get());
    }
  }
  return interest;
}

/// Gives events to the rules that want them.
class Delivery {
 public:
  Delivery(const std::vector<RulePointer>& rules, CheckContext& context)
      : interest_(interest_of(rules)), context_(context) {
    for (const auto& rule : rules) {
      if (rule->wants(EventKind::calling_context_enter)) continue;
      if (rule->wants(EventKind::enter)) of_enter_.push_back(rule.get());
      if (rule->wants(EventKind::leave)) of_leave_.push_back(rule.get());
    }
  }
  void operator()(const EventView& e) {
    for (auto* rule : interest_[static_cast<std::size_t>(e.kind)]) rule->event(e);
    const bool is_enter = e.kind == EventKind::calling_context_enter;
    if (!is_enter && e.kind != EventKind::calling_context_leave) return context_.apply(e);
    EventView region = e;
    const auto* defined = context_.definitions().calling_contexts.find(e.field[0]);
    region.kind = is_enter ? EventKind::enter : EventKind::leave;
    region.field[0] = defined == nullptr ? undefined_ref : defined->region;
    for (auto* rule : is_enter ? of_enter_ : of_leave_) rule->event(region);
    context_.apply(region);
  }

 private:
  Interest interest_;
  CheckContext& context_;
  std::vector<Rule*> of_enter_, of_leave_;
};

}  // namespace

bool CheckReport::valid() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const RuleResult& f) { return f.outcome == Outcome::violated; });
}

std::span<const RuleRow> rules() {
  static const std::vector<RuleRow> rows = [] {
    std::vector<RuleRow> all;
    for (const auto& entry : table()) all.push_back(entry.row);
    return all;
  }();
  return rows;
}

CheckReport check(const std::filesystem::path& path, const CheckOptions& options) {
  const auto trace = otf2::Trace::open(path);
  CheckContext context{trace, options};
  std::vector<RulePointer> all;
  for (const auto& entry : table()) all.push_back(entry.make(context));
  Delivery deliver{all, context};
  for (auto& rule : all) rule->begin();
  CheckReport report{trace.info().anchor, 0, trace.definitions().locations.size(), trace.definitions().records, {}};
  trace.for_each_event(
      [&](const EventView& e) {
        ++report.events;
        deliver(e);
      },
      [&](std::uint64_t location, const Error& error) { context.cannot_read(location, error.what()); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->finish();
    auto finding = all[i]->result();
    finding.rule = table()[i].row.id;
    finding.says = table()[i].row.says;
    if (finding.outcome == Outcome::not_applicable && finding.why.empty())
      finding.why = "nothing in the archive for it";
    report.findings.push_back(std::move(finding));
  }
  return report;
}

}  // namespace tracer::check
