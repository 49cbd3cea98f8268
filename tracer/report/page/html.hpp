// SPDX-License-Identifier: BSD-3-Clause
// The report as one HTML file that needs nothing else: timeline, task graph and tables; of one trace, or of two beside
// each other.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <ostream>
#include <string>

#include "tracer/event_source.hpp"
#include "tracer/report/diff/diff.hpp"
#include "tracer/report/report.hpp"
#include "tracer/samples.hpp"

namespace tracer::report {

struct HtmlOptions {
  std::uint64_t slices = 1'500'000;  ///< of each trace, kept one by one at most; shorter ones are drawn together
  std::uint64_t shortest = 0;        ///< ns: shorter slices are left out
  std::uint64_t tasks = 2'000;       ///< in the task graph
  std::uint64_t arrows = 100'000;
  bool has_timeline = true;  ///< else of the timeline the program's phases alone, whatever of the above
  /// Of the page: fewer slices and arrows are kept where it would be larger, unless it is larger without any. 0: any.
  std::uint64_t most_bytes = 10'000'000;
};

/// A trace on a page, and analyze()'s report of it.
struct PageTrace {
  EventSource* source = nullptr;
  const Report* report = nullptr;
  std::string title;                            ///< "" of the only one
  const samples::SampleSet* samples = nullptr;  ///< of the trace; null: there are none
};

/// Reads the trace once more, twice when it has more slices than fit, and again when the page were too large. Memory is
/// bounded by the options.
void write_html(const PageTrace& trace, const HtmlOptions& options, std::ostream& out,
                const std::function<void(double)>& progress = {});

/// Two traces on one page, each from its own first event on, and what changed. `passed`: the limits that were.
void write_html(const PageTrace& before, const PageTrace& after, const Diff& diff,
                const std::vector<std::string>& passed, const HtmlOptions& options, std::ostream& out,
                const std::function<void(double)>& progress = {});

}  // namespace tracer::report
