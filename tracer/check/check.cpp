// SPDX-License-Identifier: BSD-3-Clause
// See check.hpp: all rules over one pass.
#include "tracer/check/check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "formats/otf2/common/clock_ticks.hpp"
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

/// The part's end is reached: thrown through the reader.
struct Reached {};

CheckContext::Shown shown_of(const CheckPart& part, std::uint64_t resolution) {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  resolution = std::max<std::uint64_t>(resolution, 1);
  return {otf2::first_tick_at(part.from, resolution),
          part.to == never ? never : otf2::first_tick_at(part.to + 1, resolution) - 1, part.shown};
}

/// All rules over the archive, or a part of it, once.
class Pass {
 public:
  Pass(const otf2::Trace& trace, const CheckOptions& options, const CheckPart* part)
      : trace_{trace},
        part_{part},
        context_{trace, options,
                 part == nullptr ? nullptr : &shown_.emplace(shown_of(*part, trace.definitions().clock.resolution))},
        rules_{rules_of(context_)},
        deliver_{rules_, context_} {}
  /// `begin`: where reading begins; null: at the archive's begin. Throws tracer::Error where that is no such place.
  CheckReport run(const CheckPart::Begin* begin);
  bool is_violated_at_event() const {
    return std::any_of(rules_.begin(), rules_.end(), [](const auto& rule) { return rule->violated_at_event(); });
  }

 private:
  static std::vector<RulePointer> rules_of(const CheckContext& context) {
    std::vector<RulePointer> all;
    for (const auto& entry : table()) all.push_back(entry.make(context));
    return all;
  }
  void open(const CheckPart::Begin& begin, const otf2::OpenedViews& views) {
    std::vector<otf2::OwnedView> opened = begin.open(views);
    context_.set_of_part(false);
    for (otf2::OwnedView& one : opened) {
      one.view.attributes = one.attributes;
      deliver_(one.view);
    }
    context_.set_opened();
  }
  void event(const EventView& e) {
    if (shown_ && e.time > shown_->to) throw Reached{};
    const bool is_shown = context_.is_shown(e.location, e.time);
    context_.set_of_part(is_shown);
    ++read_;
    events_ += is_shown ? 1 : 0;
    deliver_(e);
  }
  void read(const CheckPart::Begin* begin);

  const otf2::Trace& trace_;
  const CheckPart* part_;
  std::optional<CheckContext::Shown> shown_;
  CheckContext context_;
  std::vector<RulePointer> rules_;
  Delivery deliver_;
  std::uint64_t read_ = 0, events_ = 0;
};

void Pass::read(const CheckPart::Begin* begin) {
  const auto visit = [this](const EventView& e) { event(e); };
  const auto broken = [this](std::uint64_t location, const Error& error) {
    context_.cannot_read(location, error.what());
  };
  if (begin == nullptr)
    return trace_.for_each_event(visit, broken, part_ == nullptr ? std::vector<bool>{} : part_->read);
  const otf2::OpenedViews views{trace_};
  open(*begin, views);
  std::vector<std::optional<otf2::EventReader>> readers = views.readers(begin->places);
  const auto reader = [&](std::size_t i) -> std::optional<otf2::EventReader> {
    if (!part_->read.empty() && !part_->read[i]) return std::nullopt;
    return std::exchange(readers[i], std::nullopt);
  };
  trace_.for_each_event_of(reader, visit, broken);
}

CheckReport Pass::run(const CheckPart::Begin* begin) {
  for (auto& rule : rules_) rule->begin();
  bool is_at_end = true;
  try {
    read(begin);
  } catch (const Reached&) {
    is_at_end = false;
  }
  context_.set_of_part(true);
  CheckReport report{trace_.info().anchor,         events_, trace_.definitions().locations.size(),
                     trace_.definitions().records, read_,   {}};
  if (shown_ && !shown_->locations.empty())
    report.locations = static_cast<std::uint64_t>(std::count(shown_->locations.begin(), shown_->locations.end(), true));
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    is_at_end ? rules_[i]->finish() : rules_[i]->finish_part();
    auto finding = rules_[i]->result();
    finding.rule = table()[i].row.id;
    finding.requirement = table()[i].row.requirement;
    if (finding.outcome == Outcome::not_applicable && finding.why.empty())
      finding.why = part_ == nullptr ? "nothing in the archive for it" : "nothing in this part for it";
    report.findings.push_back(std::move(finding));
  }
  return report;
}

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
  const CheckPart* const part = options.part ? &*options.part : nullptr;
  std::uint64_t read = 0;
  // A sample's context is in no Enter or Leave: the open state contains less than its archive.
  if (part != nullptr && part->begin && part->from != 0 && trace.definitions().calling_contexts.empty()) {
    try {
      Pass pass{trace, options, part};
      CheckReport report = pass.run(&*part->begin);
      if (!pass.is_violated_at_event()) return report;
      read = report.read;
    } catch (const Error&) {  // the index is of another archive
    }
  }
  CheckReport report = Pass{trace, options, part}.run(nullptr);
  report.read += read;
  return report;
}

}  // namespace tracer::check
