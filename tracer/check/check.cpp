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
         {file_rules(), structure_rules(), content_rules(), nesting_rules(), team_rules(), task_rules(), device_rules(),
          value_rules(), memory_rules(), work_rules(), mpi_rules(), one_sided_rules()}) {
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

}  // namespace

bool CheckReport::valid() const {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.outcome == Outcome::violated; });
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
  const auto interest = interest_of(all);
  for (auto& rule : all) rule->begin();
  CheckReport report{trace.info().anchor, 0, trace.definitions().locations.size(), trace.definitions().records, {}};
  trace.for_each_event(
      [&](const EventView& e) {
        ++report.events;
        for (auto* rule : interest[static_cast<std::size_t>(e.kind)]) rule->event(e);
        context.apply(e);
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
