// SPDX-License-Identifier: BSD-3-Clause
// What the trace lacks: how much, why, and what to record the next one with.
#include "tracer/report/findings/losses.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

struct CauseOfLoss {
  const char *counter, *why, *cure;  ///< cure "": there is none
  bool only_if_killed = false;
};
constexpr CauseOfLoss causes_of_loss[] = {
    {loss_counters::stopped_size_limit, "recording stopped at TRACER_SIZE_LIMIT",
     "a larger TRACER_SIZE_LIMIT or a filter"},
    {loss_counters::stopped_full_ring, "recording stopped at a full ring (TRACER_ON_FULL=stop)",
     "TRACER_ON_FULL=wait or a larger TRACER_RING_SIZE"},
    {loss_counters::stopped_failed_write, "recording stopped when the trace could not be written",
     "more room for the trace or a filter"},
    {loss_counters::threads, "there was no memory for the rings of some threads",
     "more TRACER_MEMORY, or less where a limit of the process is the reason (tracer info --all)"},
    {loss_counters::private_rings, "rings were in the memory of the killed process",
     "more room in /dev/shm or another place for the rings (TRACER_SPOOL)", true},
    {loss_counters::rings_gone, "the rings of the killed process no longer exist", ""},
    {loss_counters::attach_records, "tracer attach had no room for some records", "a shorter --time"},
    {loss_counters::damage, "the raw trace was damaged", ""},
};

/// A sentence's parts, each once.
struct LossText {
  std::vector<std::string> missing, cures;

  void add(const char* what, const char* cure) {
    if (std::find(missing.begin(), missing.end(), what) == missing.end()) missing.emplace_back(what);
    if (*cure != '\0' && std::find(cures.begin(), cures.end(), cure) == cures.end()) cures.emplace_back(cure);
  }
  static std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
  }
};

}  // namespace

/// Of a process that was killed: what it did last is not in the trace, which does not mean that it did nothing.
bool Judge::lacks_last_records() const {
  const auto& counters = loss_counters::uncounted_when_killed;
  return std::any_of(std::begin(counters), std::end(counters),
                     [&](const char* counter) { return counter_of(definitions_, counter) != 0; });
}

std::string losses_text(const Definitions& definitions, const NotRecorded& lacks, bool is_cut) {
  LossText text;
  if (const std::uint64_t events = lacks.events; events != 0) {
    // Nobody has counted those of threads without rings, without memory, and of processes that did not come to it.
    const bool is_least = is_cut || counter_of(definitions, loss_counters::threads) != 0 ||
                          counter_of(definitions, loss_counters::counts) != 0;
    text.missing.push_back((is_least ? "at least " : "") + format_count(events) +
                           (events == 1 ? " event is missing" : " events are missing"));
    for (const CauseOfLoss& cause : causes_of_loss)
      if (counter_of(definitions, cause.counter) != 0 && (is_cut || !cause.only_if_killed))
        text.add(cause.why, cause.cure);
    // Of a job with several settings: of some of its processes.
    if (fact_of_run(definitions, std::string{properties::setting} + "TRACER_ON_FULL").find("newest") !=
        std::string::npos)
      text.add("a flight recorder keeps the newest events only", "more TRACER_MEMORY or a filter");
  }
  if (counter_of(definitions, loss_counters::device_buffers) != 0 ||
      counter_of(definitions, "DEVICE_RECORDS_LOST_BY_PROVIDER", properties::repaired) != 0 ||
      counter_of(definitions, "DEVICE_DROPPED_WITHOUT_TIME", properties::repaired) != 0)
    text.add("records of devices are missing", "more TRACER_DEVICE_MEMORY");
  if (counter_of(definitions, loss_counters::device_records) != 0)
    text.add("records of devices are missing", "more room for the trace");
  if (text.missing.empty()) return {};
  const std::string then = text.cures.empty()
                               ? ". The warnings of the recording may give the reason (tracer info --all)."
                               : "; record again with " + LossText::joined(text.cures, ", and with ") + ".";
  return "The trace is incomplete: " + LossText::joined(text.missing, "; ") + ". Times and counts are too small" + then;
}

std::vector<std::string> what_is_missing(const Definitions& definitions) {
  const NotRecorded lacks = what_is_not_recorded(definitions);
  std::vector<std::string> missing;
  if (lacks.is_cut) missing.emplace_back("A process was killed: it is recorded until then.");
  if (std::string text = losses_text(definitions, lacks, lacks.is_cut); !text.empty())
    missing.push_back(std::move(text));
  if (lacks.groups != 0) missing.push_back(lacks.consequences());
  if (lacks.ranks) missing.emplace_back("Processes are missing: they are left out (--ranks), or left no trace.");
  if (!lacks.filter.empty())
    missing.push_back("Regions are left out (" + lacks.filter + "): their time is that of what is around them.");
  return missing;
}

void Judge::losses() {
  std::string text = losses_text(definitions_, lacks_, report_.facts.is_cut());
  if (text.empty()) return;
  no_advice("incomplete");
  note("incomplete", std::move(text));
}

}  // namespace tracer::report
