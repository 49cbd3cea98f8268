// SPDX-License-Identifier: BSD-3-Clause
// What kind of run it was: whether anything follows from it.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "tracer/base/text.hpp"
#include "tracer/loss_counters.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/findings/judge.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t least_wall = 10'000'000;  ///< shorter runs are their own start
/// ns of a thread's time. Recording takes 10 to 40 of them, with what it costs the runtime, the caches and the drainer:
/// where events come closer than this, times are not those of the program alone.
constexpr std::uint64_t least_between_events = 250;
constexpr double too_delayed = 0.10;
constexpr double most_noise = 0.05;  ///< of the run, for which others on the machine answer
constexpr double too_stolen = 0.02;  ///< of the processors' time

/// Whether a process is looked at without some of its threads.
bool lacks_threads(const Definitions& definitions) {
  std::set<std::uint32_t> recorded_groups;
  for (const Location& location : definitions.locations)
    if (location.used) recorded_groups.insert(location.group);
  return std::any_of(definitions.locations.begin(), definitions.locations.end(), [&](const Location& location) {
    return !location.used && recorded_groups.contains(location.group);
  });
}

}  // namespace

void Judge::what_the_run_was() {
  const RunFacts& facts = report_.facts;
  level_of_threads();
  one_thread();
  if (facts.is_cut()) {
    no_advice("killed");
    note("killed", who_was_killed() + ". What follows is what was recorded until then, " + time(wall_) +
                       " of the process: a part of a run, from which no advice follows.");
    if (!lacks_last_records()) last_seen();
  } else if (facts.ended == "without telling") {
    note("no-end", "The program " + ending_text(facts) + ".");
  } else if (facts.exit_status > 0) {
    note("exit-status", formatted("The program ended with exit status %d: was that a whole run?", facts.exit_status));
  }
  if (counter_of(definitions_, loss_counters::other_runtimes) != 0)
    note("not-recorded",
         "The program started another OpenMP runtime, which is not in the trace: what looks like serial work may be "
         "parallel.");
  if (!fact_of_run(definitions_, properties::run_runtime_ended).empty())
    note(
        "runtime-ended",
        "The OpenMP runtime ended before the program did (omp_pause_resource_all, ompt_finalize_tool): what OpenMP did "
        "after that is not in the trace, and that time is unknown.");
  if (const std::string why = fact_of_run(definitions_, properties::run_not_sampled); !why.empty())
    note("not-sampled", "The run has no samples: " + why + ".");
  if (const std::string what = fact_of_run(definitions_, properties::run_samples_lack); !what.empty())
    note("samples-lack", "Samples are without " + what + ": functions that have the kernel work for them seem short.");
  for (const Property& property : report_.properties) {
    if (property.name == properties::not_recorded) {
      note("not-recorded",
           property.value +
               " is not in the trace, since libtracer-gomp.so was not preloaded: what looks like serial work may be "
               "parallel. 'tracer run' preloads it (docs/gcc.md).");
    }
    constexpr std::string_view of_target = "target constructs of ";  // as the conversion writes it
    if (property.name == properties::not_reported && property.value.starts_with(of_target)) {
      note("no-target-regions",
           property.value.substr(of_target.size()) +
               " is loaded, and the trace has no target construct. If the program executed any on a device, that "
               "library did not find the OpenMP runtime by the name libomp.so: add the runtime's directory to "
               "LD_LIBRARY_PATH (docs/troubleshooting.md).");
    }
  }
  losses();
  if (lacks_threads(definitions_)) {
    no_advice("part");
    note("part",
         "These are some of the threads: what they wait for may be in the others. No advice follows from them.");
  }
  if (verdict_.state == "ok") never_received();
  const std::uint64_t length_of_run = std::min(report_.wall, own_wall());
  if (length_of_run < least_wall) {
    no_advice("too short");
    const std::string length = time(length_of_run) + " long: ";
    note("too-short", report_.part.empty() ? "The run recorded is only " + length +
                                                 "starting threads takes as long. Give the program more to do."
                                           : "This part of the trace is only " + length + "look at more of it.");
  }
}

/// How long the program itself ran: without its process' own start, the tool, and what its threads had no processor
/// for, at work or after waiting. A thread had none before its first event, too: no more than its time here counts.
std::uint64_t Judge::own_wall() const {
  std::uint64_t own = 0, delay = 0;
  for (const AccountRow& row : account_.details) {
    const bool is_own = row.place != Place::tool && row.of != Place::tool && row.place != Place::absent &&
                        row.place != Place::descheduled;
    if (is_own) own += row.ns;
  }
  for (const AccountThread& row : account_.rows) {
    const auto at = [&](Place place) { return row.ns[static_cast<std::size_t>(place)]; };
    const std::uint64_t here = std::accumulate(row.ns.begin(), row.ns.end(), std::uint64_t{0}) - at(Place::absent) -
                               at(Place::descheduled) - at(Place::tool);
    delay += std::min(here, row.facts.delay - std::min(row.facts.delay, at(Place::descheduled)));
  }
  return (own - std::min(own, delay)) / threads_;
}

/// Threads in teams, or ranks without any: at least so many.
std::uint64_t Judge::threads_at_once() const {
  const std::uint64_t ranks = report_.mpi.worlds > 1 ? 0 : report_.mpi.ranks;  // of several: who was there with whom?
  return std::max(account_.most_at_once, std::min<std::uint64_t>(ranks, report_.processes.size()));
}

std::string Judge::who_was_killed() const {
  const ProcessRow* const first = process_that_ended_worst(report_.processes);
  if (report_.processes.size() < 2 || first == nullptr) return "The program was " + ending_text(report_.facts);
  const auto killed = std::count_if(report_.processes.begin(), report_.processes.end(),
                                    [](const ProcessRow& process) { return process.facts.is_cut(); });
  return first->name + " was " + ending_text(first->facts) +
         (killed <= 1 ? "" : ", " + format_count(static_cast<std::uint64_t>(killed - 1)) + " more were killed as well");
}

/// "A, B in MPI_Recv @x.c:8; C in critical @x.c:7", the places of most threads first, and of each a few of these.
std::string Judge::threads_in(const std::map<RegionRef, std::vector<LocationRef>>& seen) const {
  constexpr std::size_t most = 4;
  std::vector<std::pair<RegionRef, std::vector<LocationRef>>> by_place(seen.begin(), seen.end());
  std::stable_sort(by_place.begin(), by_place.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  std::string text;
  for (std::size_t p = 0; p < std::min(by_place.size(), most); ++p) {
    const auto& [region, threads] = by_place[p];
    if (p > 0) text += "; ";
    for (std::size_t t = 0; t < std::min(threads.size(), most); ++t)
      text += (t == 0 ? "" : ", ") + name_in_job(definitions_, threads[t]);
    if (threads.size() > most) text += " and " + format_count(threads.size() - most) + " more";
    text += " in " + without_directive(definitions_.regions[region].name);
  }
  if (by_place.size() > most) text += "; others in " + format_count(by_place.size() - most) + " more places";
  return text;
}

/// Where the threads of what was killed are seen last: there it was ended, or hung.
void Judge::last_seen() {
  constexpr std::uint64_t shortest = 1'000'000'000;  // ns
  constexpr double least = 0.2;                      // of the process' life
  std::map<LocationRef, const ThreadRow*> rows;
  for (const ThreadRow& row : report_.thread_rows) rows.emplace(row.location, &row);
  std::map<RegionRef, std::vector<LocationRef>> silent, busy;
  std::uint64_t nothing = ~std::uint64_t{0};
  for (const ProcessRow& process : report_.processes) {
    const RunFacts& facts = report_.processes.size() > 1 ? process.facts : report_.facts;
    std::vector<const ThreadRow*> known;
    for (const LocationRef location : process.threads)
      if (const auto row = rows.find(location); row != rows.end()) known.push_back(row->second);
    std::uint64_t last = 0;
    for (const ThreadRow* row : known) last = std::max(last, row->last_time);
    if (!facts.is_cut() || last == 0 || facts.end <= facts.start) continue;
    const bool hung = facts.end >= last + shortest && share(facts.end - last, facts.end - facts.start) >= least;
    if (hung) nothing = std::min(nothing, facts.end - last);
    for (const ThreadRow* row : known)
      if (row->last_time == last && row->last_region < definitions_.regions.size())
        (hung ? silent : busy)[row->last_region].push_back(row->location);
  }
  if (!silent.empty())
    note("silence", "Nothing was recorded in the last " + time(nothing) +
                        " before that: it may have hung. Last seen were " + threads_in(silent) + ".");
  else if (!busy.empty())
    note("last-seen", "Last seen were " + threads_in(busy) + ".");
}

void Judge::how_good_the_trace_is() {
  delayed_threads();
  unknown_delay();
  left_out_by_the_filter();
  what_was_not_recorded();
  stolen_time();
  sleeping_machine();
  begin_and_end_of_mpi();
  spawned_programs();
  lines_that_are_missing();
  polls();
  time_in_the_kernel();
  asleep_at_work();
  pageable_memory();
  recording_itself();
}

bool Judge::has_more_threads_than_processors() const {
  const double processors = report_.facts.processors;
  return processors > 0 && static_cast<double>(threads_at_once()) > processors + 0.01;
}

/// Threads that could run and had no processor: since there are too many of them, or others.
void Judge::delayed_threads() {
  // By the kernel's own sum: that threads which wait were late is as much a sign of others.
  std::uint64_t delay = account_.at(Place::descheduled), all_delay = 0;
  for (const AccountThread& row : account_.rows) all_delay += row.facts.delay;
  delay = std::max(delay, std::min(all_delay, there()));
  const double delayed = share(delay, there());
  const double processors = report_.facts.processors;
  const bool shared = has_more_threads_than_processors();
  const char* const who = account_.most_at_once < threads_at_once() ? "ranks" : "threads";
  crowding_ = crowding_of(report_, definitions_);
  if (crowding_ && share(crowding_->delay, crowding_->delay + crowding_->processor) <= too_delayed) crowding_.reset();
  if (crowding_) {
    no_advice("oversubscribed");
  } else if (shared && delayed > too_delayed && work_filled_the_processors(processors)) {
    no_advice("oversubscribed");
  } else if (delayed > too_delayed) {
    doubtful_ = true;
    noise_ += std::min(most_noise, delayed / 3);
    const bool ours = shared && demand() > 0.5 * processors;
    note(
        "busy-machine",
        formatted("Threads were ready to run but without a processor for %s, %.0f %% of their time: %s. Repeat the run "
                  "%s before trusting small numbers.",
                  time(delay).c_str(), delayed * 100,
                  ours                   ? formatted("there are more %s than processors", who).c_str()
                  : report_.part.empty() ? "other programs were using the processors"
                                         : "others, in this trace or not, were using the processors",
                  ours ? formatted("with as many %s as processors", who).c_str() : "on a quiet machine"));
  }
}

/// Where the trace, or this part of it, does not contain for how long threads were without a processor.
void Judge::unknown_delay() {
  const double processors = report_.facts.processors;
  const bool shared = has_more_threads_than_processors();
  const bool is_known = report_.delayed_in_whole > 0 ||
                        std::any_of(account_.rows.begin(), account_.rows.end(), [](const AccountThread& row) {
                          return row.facts.processor != 0 || row.facts.delay != 0;
                        });
  if ((shared || report_.facts.is_running()) && !is_known) {
    doubtful_ = true;
    note("busy-machine",
         (shared ? formatted("%llu threads share %.4g processor%s", number(threads_at_once()), processors,
                             processors == 1 ? "" : "s")
                 : std::string{"The process was still running"}) +
             "; this trace does not contain how long its threads were ready to run but had no processor, and all "
             "waiting may come from that alone.");
  }
  if (report_.delayed_in_whole > too_delayed) {
    doubtful_ = true;
    note("busy-machine",
         formatted(
             "In the whole run threads that could have run were without a processor for %.0f %% of their time; the "
             "share of this part is unknown. Look at the verdict of the whole first.",
             100 * report_.delayed_in_whole));
  }
}

void Judge::left_out_by_the_filter() {
  if (lacks_.filter.empty()) return;
  doubtful_ = true;
  note("filtered",
       "Regions are left out (" + lacks_.filter +
           "): their time counts as work of what is around them, or as serial. Findings hold for what is left; "
           "look at the verdict without the filter first.");
}

/// By the host of a virtual machine.
void Judge::stolen_time() {
  const RunFacts& facts = report_.facts;
  const std::uint64_t ran = std::max(wall_, facts.end - std::min(facts.start, facts.end));  // also of a part of it
  const double stolen = share(facts.stolen_ns, ran * facts.processors_online);
  noise_ += stolen;
  if (stolen < too_stolen) return;
  doubtful_ = true;
  note("stolen",
       formatted("The host of this virtual machine took %s from its processors meanwhile, %.0f %% of their time. The "
                 "trace does not show when: work looks longer, and other threads wait for it. What is not well above "
                 "that share of the run is no finding; repeat the run when the host is quiet.",
                 time(facts.stolen_ns).c_str(), stolen * 100));
}

/// Whether events are so close that times are also those of recording them.
void Judge::recording_itself() {
  const std::uint64_t active =
      there() - account_.at(Place::serial_idle) - account_.at(Place::device_idle) - account_.at(Place::unknown);
  const std::uint64_t apart = active / std::max<std::uint64_t>(report_.events, 1);
  if (report_.events == 0 || apart >= least_between_events) return;
  no_advice("perturbed");
  note("perturbed",
       formatted("%s events were recorded, one every %llu ns of a thread: recording itself makes most times longer. "
                 "Findings are given only for coarser constructs. A filter (--filter, TRACER_RECORD) makes it less.",
                 format_count(report_.events).c_str(), number(apart)));
}

/// What is absent since nobody recorded it looks like something else.
void Judge::what_was_not_recorded() {
  if (account_.paused != 0)
    note("paused", "Recording was off for " + time(account_.paused) + " of " + time(account_.wall()) +
                       ": what the program did then is not in the trace, and \"unknown\" in the account.");
  if (lacks_.groups == 0) return;
  doubtful_ = doubtful_ || lacks_.misleads();
  if (lacks_.from_outside) {
    no_advice("incomplete");
    return note("groups-not-recorded", lacks_.consequences() +
                                           " Who follows a process from outside does not see that, and each event "
                                           "stops its thread for tens of microseconds.");
  }
  const std::string left_out = not_looked_for();
  note("groups-not-recorded", lacks_.consequences() + " TRACER_RECORD left that out: record " + lacks_.names() +
                                  " too." +
                                  (left_out.empty() ? "" : " Not looked for without that: " + left_out + "."));
}

/// Whether times are those of a machine that was awake.
void Judge::sleeping_machine() {
  const bool has_jumped = counter_of(definitions_, loss_counters::clock_jumps) != 0;
  const std::uint64_t asleep = report_.facts.asleep_ns;
  if (!has_jumped && asleep == 0) return;
  doubtful_ = true;
  if (!has_jumped)
    return note("machine-slept", "The machine slept for " + time(asleep) +
                                     " in this run. The trace has no time for that, but what goes on across it has "
                                     "that of falling asleep and waking up, which is not the program's. Repeat the "
                                     "run.");
  const std::string why = asleep != 0 ? "the machine slept for " + time(asleep) + " meanwhile"
                                      : "the machine slept meanwhile, or a virtual machine was moved";
  note("clock-jumped", "The processor's clock ran on without the system's: " + why +
                           ". The time that passed then is spread over the whole run: times are wrong. Repeat the run, "
                           "with TRACER_CLOCK=system if that may happen again.");
}

/// Where no place has its line: why, and what to do. Where some have none, why, if that is known.
void Judge::lines_that_are_missing() {
  std::map<std::string, std::size_t> modules;  // places in each
  bool have_some = false;
  for (const Region& region : definitions_.regions) {
    if (region.begin_line != 0)
      have_some = true;
    else if (region.name.find(" @0x") != std::string::npos)
      ++modules[region.source_file];
  }
  if (modules.empty()) return;
  std::string why;
  for (const Property& property : report_.properties) {
    if (property.name == properties::no_lines) why = property.value;
    if (const std::string_view of = properties::no_lines_of; why.empty() && property.name.starts_with(of))
      if (const std::string path = property.name.substr(of.size()); !have_some || modules.contains(path))
        why = path + " is " + property.value;
  }
  if (why.empty() && have_some) return;
  if (why.empty()) {
    const auto most = std::max_element(modules.begin(), modules.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    why = (most->first.empty() ? "the program" : module_name(most->first)) +
          " has no debug information (build it with -g, beside -O2)";
  }
  note("no-lines",
       std::string{have_some ? "Some places" : "Places"} + " have addresses instead of lines: " + why + ".");
}

}  // namespace tracer::report
