// SPDX-License-Identifier: BSD-3-Clause
// The report as one HTML file that needs nothing else: timeline, task graph and tables.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>

#include "tracer/event_source.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

struct HtmlOptions {
  std::uint64_t slices = 1'500'000;  ///< kept one by one at most; shorter ones beyond it are drawn together
  std::uint64_t shortest = 0;        ///< ns: shorter slices are left out
  std::uint64_t tasks = 2'000;       ///< in the task graph
  std::uint64_t arrows = 100'000;
};

/// Reads the trace once more, twice when it has more slices than fit. Memory is bounded by the options.
void write_html(EventSource& source, const Report& report, const HtmlOptions& options, std::ostream& out,
                const std::function<void(double)>& progress = {});

}  // namespace tracer::report
