// SPDX-License-Identifier: BSD-3-Clause
// See comparable.hpp: runs that are not there as a whole, and runs of which not the same was recorded.
#include "tracer/report/diff/comparable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/base/text.hpp"
#include "tracer/event_names.hpp"
#include "tracer/no_trace.hpp"
#include "tracer/property_names.hpp"

namespace tracer::report {
namespace {

/// The verdict's state is the first of several reasons; each has its note.
bool is_judged(const Verdict& verdict, std::string_view as) {
  return verdict.state == as ||
         std::any_of(verdict.notes.begin(), verdict.notes.end(), [as](const Note& note) { return note.id == as; });
}

std::vector<const RunFacts*> facts_of_processes(const Report& report) {
  if (report.processes.size() < 2) return {&report.facts};
  std::vector<const RunFacts*> all;
  for (const ProcessRow& process : report.processes) all.push_back(&process.facts);
  return all;
}

/// Whether the trace of a process that is so ends before the part does; where no end of a part was chosen, in any case.
bool has_early_end(const Report& report, bool (RunFacts::*is_so)() const) {
  const std::vector<const RunFacts*> processes = facts_of_processes(report);
  return std::any_of(processes.begin(), processes.end(), [&report, is_so](const RunFacts* facts) {
    const std::uint64_t end = facts->end != 0 ? facts->end : report.begin + report.wall;
    return (facts->*is_so)() && end < report.part_end;
  });
}

std::uint64_t ranks_without_trace(const Report& report) {
  return static_cast<std::uint64_t>(
      std::count_if(report.processes.begin(), report.processes.end(),
                    [](const ProcessRow& process) { return process.name.ends_with(no_trace_suffix); }));
}

/// "": it is there as a whole. The part that was chosen of a run without an end may be.
std::string what_a_run_lacks(const Report& report) {
  if (has_early_end(report, &RunFacts::is_cut)) return "it was killed";
  if (has_early_end(report, &RunFacts::is_running)) return "it was still running";
  if (const std::uint64_t ranks = ranks_without_trace(report); ranks != 0)
    return format_counted(ranks, "rank") + " left no trace";
  if (is_judged(report.verdict, "incomplete")) return "events are missing";
  if (report.verdict.state == "no events") return "it has no events";
  return {};
}

/// What a trace contains of its run; "": nothing is chosen, or it is unknown.
struct RecordedAspect {
  const char* name;
  std::string (*value)(const Report& report);
  bool (*applies)(const Report& report) = nullptr;  ///< only where it does to every run; nullptr: it always does
};

std::string providers_of(const Report& report) {
  std::set<std::string> providers;
  for (const DeviceRow& device : report.devices)
    if (!device.provider.empty()) providers.insert(device.provider);
  std::string text;
  for (const std::string& provider : providers) text += (text.empty() ? "" : ", ") + provider;
  return text;
}

constexpr RecordedAspect recorded_aspects[] = {
    {"the filter", [](const Report& report) { return report.filter; }},
    {"the part of the trace", [](const Report& report) { return report.part; }},
    {"TRACER_RECORD",
     [](const Report& report) {
       return property_value(report.properties, std::string{properties::setting} + "TRACER_RECORD");
     }},
    {"how it was observed from outside",
     [](const Report& report) { return property_value(report.properties, properties::provenance); }},
    {"what pauses of the recording leave out",
     [](const Report& report) {
       const bool is_paused = report.event_counts.contains(name_of(EventType::measurement_on_off));
       return std::string{is_paused ? "some" : ""};
     }},
    {"the contents of copies",
     [](const Report& report) { return std::string{report.has_transfer_content ? "all" : ""}; },
     [](const Report& report) { return report.data_operations.count != 0; }},
    {"who recorded the devices", providers_of, [](const Report& report) { return !report.devices.empty(); }},
    {"a failure of the program",
     [](const Report& report) {
       const int status = report.facts.exit_status;
       return status > 0 ? "exit status " + std::to_string(status) : std::string{};
     }},
};

bool applies_to_all(const RecordedAspect& aspect, const std::vector<const Report*>& reports) {
  return aspect.applies == nullptr ||
         std::all_of(reports.begin(), reports.end(), [&](const Report* report) { return aspect.applies(*report); });
}

/// "none in A, B; EXCLUDE critical in C": by value, each with the first of its archives. "": all have the same.
std::string different_values(const std::vector<const Report*>& reports, const RecordedAspect& aspect) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> archives;
  for (const Report* report : reports) {
    const std::string value = aspect.value(*report);
    auto known = std::find_if(archives.begin(), archives.end(), [&](const auto& one) { return one.first == value; });
    if (known == archives.end()) {
      archives.push_back({value, {}});
      known = std::prev(archives.end());
    }
    known->second.push_back(report->archive);
  }
  if (archives.size() < 2) return {};
  std::string text;
  for (const auto& [value, names] : archives) {
    text += (text.empty() ? "" : "; ") + (value.empty() ? std::string{"none"} : printable(value)) + " in ";
    for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most) text += " and " + format_count(names.size() - most) + " more";
  }
  return text;
}

}  // namespace

void look_at_what_is_missing(const std::vector<Report>& before, const std::vector<Report>& after, Diff& diff) {
  std::vector<const Report*> reports;
  for (const std::vector<Report>* side : {&before, &after})
    for (const Report& report : *side) reports.push_back(&report);
  for (const Report* report : reports) {
    const std::string lacks = what_a_run_lacks(*report);
    if (lacks.empty()) continue;
    diff.are_whole_runs = false;
    diff.notes.push_back(report->archive + " is no whole run: " + lacks + ".");
  }
  for (const RecordedAspect& aspect : recorded_aspects) {
    if (!applies_to_all(aspect, reports)) continue;
    const std::string values = different_values(reports, aspect);
    if (!values.empty())
      diff.notes.push_back(std::string{"The traces do not contain the same: "} + aspect.name + ": " + values + ".");
  }
}

}  // namespace tracer::report
