// SPDX-License-Identifier: BSD-3-Clause
// See samples_text.hpp.
#include "tracer/report/samples_text.hpp"

#include <algorithm>

#include "tracer/base/text.hpp"
#include "tracer/report/units.hpp"

namespace tracer::report {
namespace {

/// What of a wait the thread ran: it spun, or did the runtime's work.
std::uint64_t running(const WaitRow& row) {
  return row.ns - std::min(row.ns, row.slept + row.preempted);
}

Table functions(const SampleReport& report) {
  std::string title = "Functions and constructs, by " + format_count(report.samples) + " samples, one for each " +
                      duration_text(report.period) + " of a thread's processor time";
  if (report.lost != 0) title += "; " + format_count(report.lost) + " were lost";
  if (report.outside != 0) title += "; " + format_count(report.outside) + " lie outside of the trace";
  Table table{title, {{"function"}, {"place"}, {"self", true}, {"waiting", true}, {"total", true}}};
  for (const FunctionRow& row : report.functions)
    table.add({row.name, place_text(row.file, row.line), percent_or_dash(row.self, report.samples),
               percent_or_dash(row.waiting, report.samples), percent_or_dash(row.inside, report.samples)});
  return table;
}

Table blame(const SampleReport& report) {
  Table table{"What ran while other threads waited, by their time",
              {{"function"},
               {"place"},
               {"time", true},
               {"barrier", true},
               {"taskwait", true},
               {"locks", true},
               {"idle", true}}};
  for (const BlameRow& row : report.blame) {
    const auto of = [&](Activity activity) { return duration_or_dash(row.ns[static_cast<std::size_t>(activity)]); };
    table.add({row.name, place_text(row.file, row.line), duration_text(row.total()), of(Activity::barrier),
               of(Activity::task_wait), of(Activity::lock_wait), of(Activity::idle)});
  }
  return table;
}

Table waits(const SampleReport& report) {
  Table table{"Waiting, and whether the threads ran meanwhile",
              {{"at"}, {"waited", true}, {"ran", true}, {"slept", true}, {"preempted", true}}};
  for (const WaitRow& row : report.waits)
    table.add({row.name, duration_text(row.ns), percent_or_dash(running(row), row.ns),
               percent_or_dash(row.slept, row.ns), percent_or_dash(row.preempted, row.ns)});
  return table;
}

Table threads(const SampleReport& report) {
  Table table{"Threads that did not run",
              {{"thread"}, {"slept", true}, {"preempted", true}, {"of its work: slept", true}, {"preempted", true}}};
  for (const SampleThreadRow& row : report.threads)
    table.add({row.name, duration_or_dash(row.slept), duration_or_dash(row.preempted),
               percent_or_dash(row.slept_working, row.working), percent_or_dash(row.preempted_working, row.working)});
  return table;
}

}  // namespace

std::string samples_text(const SampleReport& report, const TextOptions& options) {
  std::string text;
  if (report.samples != 0) text += functions(report).text(options) + blame(report).text(options);
  if (report.pauses != 0) text += waits(report).text(options) + threads(report).text(options);
  return text;
}

std::string to_text(const SampleReport& report, std::size_t rows) {
  TextOptions options;
  options.rows = rows;
  options.width = 120;
  const std::string text = samples_text(report, options);
  return text.empty() ? "no samples\n" : text;
}

}  // namespace tracer::report
