// SPDX-License-Identifier: BSD-3-Clause
// What of a trace is looked at: rules for regions, in Score-P's include/exclude syntax.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracer/event_source.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {

/// Rules are applied in order, the last that matches decides; without a match a region is kept. A
/// region that either the rules for files or those for names exclude is left out.
class Filter {
 public:
  /// The text of a filter file. Throws tracer::Error with `name` and the line.
  void add_text(std::string_view text, const std::string& name);
  void add_file(const std::string& path);
  /// One rule for names: "for", "implicit barrier", "!$omp task @sort.cpp:*", a function's pattern.
  void add_rule(bool include, std::string pattern) { names_.push_back({include, std::move(pattern)}); }
  bool empty() const { return names_.empty() && files_.empty(); }
  bool keeps(const Region& region) const;
  /// For the trace's properties: "EXCLUDE flush; INCLUDE main". Behind 32 KiB of rules: "; ...".
  std::string text() const;

 private:
  struct Rule {
    bool include = false;
    std::string pattern;
  };
  std::vector<Rule> names_, files_;
};

/// Whether the pattern of a rule for names means the region.
bool means(const std::string& pattern, const Region& region);

/// Of a region's description, which has one behind the other: "solve(double*, int), run<A, B>()".
std::vector<std::string> functions_of(std::string_view description);

/// "10us", "1.5 ms", "200" (ns). Throws tracer::Error.
std::uint64_t parse_duration(std::string_view text);

/// Adds to the trace's property TRACER::FILTER what is left out of it.
void record_filter(Definitions& definitions, const std::string& text);

/// `source` without the regions that the filter leaves out: their enters, leaves and parameters. Tasks,
/// teams and locks stay. Both must outlive the result.
std::unique_ptr<EventSource> filtered(EventSource& source, const Filter& filter);

/// Passes on slices of at least `shortest` ns, in the order in which they begin, with depths counted anew.
class LongSlices final : public TimelineVisitor {
 public:
  LongSlices(TimelineVisitor& next, std::uint64_t shortest) : next_{next}, shortest_{shortest} {}
  void open(const Slice& slice) override;
  void close(const Slice& slice) override;
  void arrow(const Arrow& arrow) override { next_.arrow(arrow); }
  void message(const Message& message) override { next_.message(message); }
  void message_end(const MessageEnd& end) override { next_.message_end(end); }
  void counter(const Counter& counter) override { next_.counter(counter); }
  void band(const Band& band) override {
    if (band.end - band.begin >= shortest_) next_.band(band);
  }
  void phase(const PhaseTotals& totals) override { next_.phase(totals); }
  void finish() override { next_.finish(); }
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Held {
    Slice slice;
    bool passed = false;
  };
  void pass(std::vector<Held>& held, std::uint64_t now);
  TimelineVisitor& next_;
  std::uint64_t shortest_, left_out_ = 0;
  std::unordered_map<LocationRef, std::vector<Held>> held_;
};

}  // namespace tracer::report
