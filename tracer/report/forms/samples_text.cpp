// SPDX-License-Identifier: BSD-3-Clause
// See samples_text.hpp.
#include "tracer/report/forms/samples_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/ompt_values.hpp"

namespace tracer::report {
namespace {

/// What of a wait the thread ran: it spun, or did the runtime's work.
std::uint64_t running(const WaitRow& row) {
  return row.ns - std::min(row.ns, row.slept + row.preempted);
}

std::string rate_text(std::uint64_t instructions, std::uint64_t cycles) {
  if (cycles == 0 || instructions == 0) return "-";
  return formatted("%.2f", static_cast<double>(instructions) / static_cast<double>(cycles));
}

/// Functions without what distinguishes overloads and instances, unless there are several.
class Names {
 public:
  explicit Names(const SampleReport& report) {
    for (const FunctionRow& row : report.functions)
      if (row.construct == undefined_ref) add(row.name);
    for (const BlameRow& row : report.blame) add(row.name);
  }
  std::string of(const std::string& name) const {
    std::string plain = plain_function(name);
    const auto found = wholes_.find(plain);
    return found != wholes_.end() && found->second.size() == 1 && found->second.contains(name) ? plain : name;
  }

 private:
  void add(const std::string& name) {
    // Not a construct's, which may be here as well.
    if (name.find(" @") == std::string::npos) wholes_[plain_function(name)].insert(name);
  }
  std::map<std::string, std::set<std::string>> wholes_;  ///< by plain name
};

Table functions(const SampleReport& report, const Names& names) {
  std::string title = "Functions and constructs, by " + format_count(report.samples) + " samples, one for each " +
                      duration_text(report.period) + " of a thread's processor time";
  if (!report.lacks.empty()) title += "; without " + report.lacks;
  if (report.lost != 0) title += "; " + format_count(report.lost) + " were lost";
  if (report.outside != 0) title += "; " + format_count(report.outside) + " lie outside of the trace";
  Table table{title, {"function", "place", ">self", ">of it kernel", ">waiting", ">total"}};
  for (const FunctionRow& row : report.functions)
    table.add({names.of(row.name), place_text(row.file, row.line), percent_or_dash(row.self, report.samples),
               percent_or_dash(row.kernel, report.samples), percent_or_dash(row.waiting, report.samples),
               percent_or_dash(row.inside, report.samples)});
  return table;
}

Table blame(const SampleReport& report, const Names& names) {
  Table table{"What ran while other threads waited, by their time",
              {"function", "place", ">time", ">barrier", ">taskwait", ">locks", ">idle"}};
  for (const BlameRow& row : report.blame) {
    const auto of = [&](Activity activity) { return duration_or_dash(row.ns[static_cast<std::size_t>(activity)]); };
    table.add({names.of(row.name), place_text(row.file, row.line), duration_text(row.total()), of(Activity::barrier),
               of(Activity::task_wait), of(Activity::lock_wait), of(Activity::idle)});
  }
  return table;
}

Table waits(const SampleReport& report) {
  Table table{"Waiting, and whether the threads ran meanwhile", {"at", ">waited", ">ran", ">slept", ">preempted"}};
  for (const WaitRow& row : report.waits)
    table.add({row.name, duration_text(row.ns), percent_or_dash(running(row), row.ns),
               percent_or_dash(row.slept, row.ns), percent_or_dash(row.preempted, row.ns)});
  return table;
}

/// Which of the counters has a name; none: their number.
std::size_t counter(const SampleReport& report, const char* name) {
  std::size_t at = 0;
  while (at < report.counters.size() && report.counters[at].name != name) ++at;
  return at;
}

std::string counted_text(const CounterRow& row, std::uint64_t value) {
  if (value == 0) return "-";
  return row.nanoseconds ? duration_text(value) : format_count(value);
}

/// Functions by what they did themselves: what they call is in rows of its own. Constructs by all that is in them.
Table counters(const SampleReport& report, const Names& names) {
  const std::size_t cycles = counter(report, "cycles"), instructions = counter(report, "instructions");
  const bool has_rate = std::max(cycles, instructions) < report.counters.size();
  std::vector<Table::Column> columns{"function or construct", "place"};
  if (has_rate) columns.emplace_back(">per cycle");
  for (const CounterRow& row : report.counters) columns.push_back({row.name, true});
  std::string title = "What was counted in work: by functions themselves, in constructs with all that they call";
  if (report.without_counters != 0)
    title += "; " + format_count(report.without_counters) +
             (report.without_counters == 1 ? " thread lacks" : " threads lack") + " counters";
  Table table{title, std::move(columns)};
  const auto add = [&](const std::string& name, const std::string& place, const std::vector<std::uint64_t>& values) {
    std::vector<std::string> cells{name, place};
    if (has_rate) cells.push_back(rate_text(values[instructions], values[cycles]));
    for (std::size_t c = 0; c < values.size(); ++c) cells.push_back(counted_text(report.counters[c], values[c]));
    table.add(std::move(cells));
  };
  for (const FunctionRow& row : report.functions) {
    const auto& values = row.construct == undefined_ref ? row.counted : row.counted_inside;
    if (std::any_of(values.begin(), values.end(), [](std::uint64_t value) { return value != 0; }))
      add(names.of(row.name), place_text(row.file, row.line), values);
  }
  std::vector<std::uint64_t> waiting, all;
  for (const CounterRow& row : report.counters) {
    waiting.push_back(row.waiting);
    all.push_back(row.total);
  }
  add("(waiting)", "", waiting);
  add("(all)", "", all);
  return table;
}

Table states(const SampleReport& report) {
  Table table{"OpenMP runtime states of the sampled threads", {"state", ">waited for", ">samples", ">share"}};
  std::uint64_t all = 0;
  for (const StateRow& row : report.states) all += row.samples;
  for (const StateRow& row : report.states) {
    table.add({thread_state::name_of(row.state),
               row.wait_id == 0 ? "-" : formatted("0x%llx", static_cast<unsigned long long>(row.wait_id)),
               format_count(row.samples), percent_or_dash(row.samples, all)});
  }
  return table;
}

Table threads(const SampleReport& report) {
  Table table{"Threads that did not run", {"thread", ">slept", ">preempted", ">of its work: slept", ">preempted"}};
  for (const SampleThreadRow& row : report.threads)
    table.add({row.name, duration_or_dash(row.slept), duration_or_dash(row.preempted),
               percent_or_dash(row.slept_working, row.working), percent_or_dash(row.preempted_working, row.working)});
  return table;
}

}  // namespace

std::string samples_text(const SampleReport& report, const TextOptions& options) {
  const Names names{report};
  std::string text;
  if (report.samples != 0) text += functions(report, names).text(options);
  if (!report.counters.empty()) text += counters(report, names).text(options);
  if (report.samples != 0) text += blame(report, names).text(options);
  if (!report.states.empty()) text += states(report).text(options);
  if (report.pauses != 0) text += waits(report).text(options) + threads(report).text(options);
  return text;
}

std::string to_text(const SampleReport& report, const TextOptions& options) {
  const std::string text = samples_text(report, options);
  return text.empty() ? "no samples\n" : text;
}

}  // namespace tracer::report
