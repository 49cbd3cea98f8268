// SPDX-License-Identifier: BSD-3-Clause
// What kind of run it was: whether anything follows from it.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "tracer/base/processors.hpp"
#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"
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
  std::set<std::uint32_t> told;
  for (const Location& location : definitions.locations)
    if (location.used) told.insert(location.group);
  return std::any_of(definitions.locations.begin(), definitions.locations.end(),
                     [&](const Location& location) { return !location.used && told.contains(location.group); });
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
    last_seen();
  } else if (facts.ended == "without telling") {
    note("no-end", "The program " + ending_text(facts) + ".");
  } else if (facts.exit_status > 0) {
    note("exit-status", format("The program ended with exit status %d: was that a whole run?", facts.exit_status));
  }
  if (const std::string why = fact_of_run(definitions_, properties::run_not_sampled); !why.empty())
    note("not-sampled", "The run has no samples: " + why + ".");
  if (const std::string what = fact_of_run(definitions_, properties::run_samples_lack); !what.empty())
    note("samples-lack", "Samples are without " + what + ": functions that have the kernel work for them seem short.");
  for (const Property& property : report_.properties) {
    if (property.name == properties::not_recorded) {
      note("not-recorded",
           property.value +
               " is not in the trace, since it knows no tools: what looks like serial work may be parallel. "
               "'tracer run --runtime auto' puts LLVM's runtime in its place.");
    }
    const bool loss =
        property.name.find("LOST") != std::string::npos || property.name.find("DROPPED") != std::string::npos;
    const auto count = std::strtoull(property.value.c_str(), nullptr, 10);
    if (!property.name.starts_with(properties::ours) || !loss || count == 0) continue;
    no_advice("incomplete");
    note("incomplete", format("The trace is incomplete: %s = %s. Times and counts are too small; record again with "
                              "more TRACER_MEMORY or with a filter.",
                              property.name.c_str() + 8, property.value.c_str()));
  }
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
  const RunFacts& facts = report_.facts;
  const std::uint64_t there = account_.total - account_.at(Place::absent);
  // By the kernel's own sum: that threads which wait were late is as much a sign of others.
  std::uint64_t delay = account_.at(Place::descheduled), all_delay = 0;
  for (const AccountThread& row : account_.rows) all_delay += row.facts.delay;
  delay = std::max(delay, std::min(all_delay, there));
  const double delayed = share(delay, there);
  const double processors = facts.processors;
  const bool shared = processors > 0 && static_cast<double>(threads_at_once()) > processors + 0.01;
  const char* const who = account_.most_at_once < threads_at_once() ? "ranks" : "threads";
  if (!shared) crowding_ = crowding_of(report_, definitions_);
  if (crowding_ && share(crowding_->delay, crowding_->delay + crowding_->processor) <= too_delayed) crowding_.reset();
  if (crowding_) {
    no_advice("oversubscribed");
  } else if (shared && delayed > too_delayed && work_filled_the_processors(processors)) {
    no_advice("oversubscribed");
  } else if (delayed > too_delayed) {
    doubtful_ = true;
    noise_ += std::min(most_noise, delayed / 3);
    const bool ours = shared && demand() > 0.5 * processors;
    note("busy-machine",
         format("Threads were ready to run but without a processor for %s, %.0f %% of their time: %s. Repeat the run "
                "%s before trusting small numbers.",
                time(delay).c_str(), delayed * 100,
                ours                   ? format("there are more %s than processors", who).c_str()
                : report_.part.empty() ? "other programs were using the processors"
                                       : "others, in this trace or not, were using the processors",
                ours ? format("with as many %s as processors", who).c_str() : "on a quiet machine"));
  }
  const bool is_delay_known = report_.delayed_in_whole > 0 ||
                              std::any_of(account_.rows.begin(), account_.rows.end(), [](const AccountThread& row) {
                                return row.facts.processor != 0 || row.facts.delay != 0;
                              });
  if (shared && !is_delay_known) {
    doubtful_ = true;
    note(
        "busy-machine",
        format("%llu threads share %.4g processor%s; how long they were ready to run but had none is not known of this "
               "trace, and all waiting may come from that alone.",
               number(threads_at_once()), processors, processors == 1 ? "" : "s"));
  }
  if (report_.delayed_in_whole > too_delayed) {
    doubtful_ = true;
    note("busy-machine",
         format("In the whole run threads that could have run were without a processor for %.0f %% of that time; how "
                "much of it lies in this part is not known. Look at the verdict of the whole first.",
                100 * report_.delayed_in_whole));
  }
  if (report_.filter.find("EXCLUDE") != std::string::npos) {
    doubtful_ = true;
    note("filtered",
         "Regions are left out (" + report_.filter +
             "): their time counts as work of what is around them, or as serial. Findings hold for what is left; "
             "look at the verdict without the filter first.");
  }
  const std::uint64_t ran = std::max(wall_, facts.end - std::min(facts.start, facts.end));  // also of a part of it
  const double stolen = share(facts.stolen_ns, ran * facts.processors_online);
  noise_ += stolen;
  if (stolen >= too_stolen) {
    doubtful_ = true;
    note("stolen",
         format("The host of this virtual machine took %s from its processors meanwhile, %.0f %% of their time. No "
                "thread knows of that: it makes work look longer and others wait for it. What is not well above that "
                "share of the run is no finding; repeat the run when the host is quiet.",
                time(facts.stolen_ns).c_str(), stolen * 100));
  }
  begin_and_end_of_mpi();
  spawned_programs();
  lines_that_are_missing();
  polls();
  time_in_the_kernel();
  const std::uint64_t active = there - account_.at(Place::serial_idle);
  const std::uint64_t apart = active / std::max<std::uint64_t>(report_.events, 1);
  if (apart < least_between_events) {
    no_advice("perturbed");
    note("perturbed",
         format(
             "%s events were recorded, one every %llu ns of a thread: recording itself makes most times longer. Only "
             "findings are given only for constructs of that grain. A filter (--filter, TRACER_RECORD) makes it less.",
             format_count(report_.events).c_str(), number(apart)));
  }
}

/// Where no place has its line: why, and what to do.
void Judge::lines_that_are_missing() {
  std::map<std::string, std::size_t> modules;  // places in each
  for (const Region& region : definitions_.regions) {
    if (region.begin_line != 0) return;
    if (region.name.find(" @0x") != std::string::npos) ++modules[region.source_file];
  }
  if (modules.empty()) return;
  std::string why;
  for (const Property& property : report_.properties) {
    if (property.name == properties::no_lines) why = property.value;
    if (const std::string_view of = properties::no_lines_of; why.empty() && property.name.starts_with(of))
      why = property.name.substr(of.size()) + " is " + property.value;
  }
  if (why.empty()) {
    const auto most = std::max_element(modules.begin(), modules.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    why = (most->first.empty() ? "the program" : module_name(most->first)) +
          " has no debug information (build it with -g, beside -O2)";
  }
  note("no-lines", "Places have addresses instead of lines: " + why + ".");
}

/// How many processors the program's own work in teams would have used, beside all waiting, if they were there. By what
/// each thread ran: the load of others takes processors away, but is no work of ours.
double Judge::demand() const {
  std::uint64_t in_teams = 0, of_ranks = 0;
  for (const AccountThread& row : account_.rows) {
    in_teams += row.able_to_work;
    std::uint64_t there = 0, waiting = 0;
    for (std::size_t p = 0; p < places; ++p) {
      const auto place = static_cast<Place>(p);
      if (place != Place::absent) there += row.ns[p];
      if (place != Place::absent && place != Place::work && place != Place::serial && place != Place::descheduled)
        waiting += row.ns[p];
    }
    const std::uint64_t without_delay = there - std::min(there, row.facts.delay);
    const double ran =
        share(row.facts.processor, std::max<std::uint64_t>(without_delay, 1)) * static_cast<double>(there);
    of_ranks += static_cast<std::uint64_t>(std::max(0.0, ran - static_cast<double>(waiting)));
  }
  // Ranks are each other's team, whatever they do outside of parallel regions.
  const double by_teams = share(in_teams, wall_ - std::min(wall_, account_.serial_wall));
  return report_.mpi.ranks > 1 ? std::max(by_teams, share(of_ranks, wall_)) : by_teams;
}

bool Judge::work_filled_the_processors(double processors) const {
  return demand() >= 0.8 * processors;
}

/// "OMP_NUM_THREADS=2", or what else it takes to have so many threads in a process.
std::string Judge::fewer_threads(int allowed) const {
  const ParallelRow* largest = nullptr;
  for (const ParallelRow& row : report_.parallels)
    if (largest == nullptr || row.threads > largest->threads) largest = &row;
  // Threads of the program's own that each have a team share what there is.
  const std::uint64_t teams = std::max<std::uint64_t>(1, account_.teams_at_once);
  const int of_team = std::max(1, allowed / static_cast<int>(teams));
  const std::string number_of_threads = std::to_string(of_team);
  if (account_.active_levels > 1)
    return "OMP_NUM_THREADS=" + number_of_threads + ",1 or OMP_MAX_ACTIVE_LEVELS=1 (parallel regions are nested, " +
           format_count(account_.active_levels) + " deep, and their numbers of threads multiply)";
  // What the runtime takes where nobody says anything is what the process may use by its affinity, whatever a control
  // group leaves it of that.
  const RunFacts& facts = report_.facts;
  const unsigned by_affinity = count_of(mask_of(facts.processor_list));
  const std::uint64_t usual = by_affinity != 0 ? by_affinity : facts.processors_online;
  const auto asked = facts.environment.find("OMP_NUM_THREADS");
  const std::uint64_t told =
      asked == facts.environment.end() ? usual : std::strtoull(asked->second.c_str(), nullptr, 10);
  const bool asks_itself = facts.known && largest != nullptr && report_.mpi.ranks <= 1 && largest->threads != told &&
                           largest->threads > static_cast<std::uint64_t>(of_team);
  if (!asks_itself) {
    const std::string variable = "OMP_NUM_THREADS=" + number_of_threads;
    if (teams == 1) return variable;
    return (teams > static_cast<std::uint64_t>(allowed) ? "fewer such threads and " : "") + variable + " (" +
           format_count(teams) + " threads of the program have teams of up to " +
           format_count(largest == nullptr ? 1 : largest->threads) + " at the same time)";
  }
  return number_of_threads + (of_team == 1 ? " thread" : " threads") +
         (teams > 1 ? " for each of its " + format_count(teams) + " teams" : "") + " (the program itself asks for " +
         format_count(largest->threads) + ", by num_threads at " + name(largest->region) +
         " or by omp_set_num_threads, whatever OMP_NUM_THREADS says)";
}

/// What to do about too few processors: of an MPI job for each of its ranks.
std::string Judge::how_to_have_processors() const {
  const RunFacts& facts = report_.facts;
  const auto each_of = [ranks = std::max<std::uint64_t>(1, report_.mpi.ranks)](double of_all) {
    return static_cast<int>(of_all / static_cast<double>(ranks));
  };
  const bool in_job = report_.mpi.ranks > 1;
  const int allowed = each_of(facts.processors);
  const int wanted =
      std::min(each_of(static_cast<double>(threads_at_once())), each_of(static_cast<double>(facts.processors_online)));
  const std::string threads =
      allowed == 0
          ? "as few ranks as there are processors, a thread each"
          : fewer_threads(allowed) + (in_job ? " for each of the " + format_count(report_.mpi.ranks) + " ranks" : "");
  if (wanted <= std::max(1, allowed)) return "Run with " + threads + ", or on more processors; then look again.";
  if (report_.mpi.ranks == 0) {
    return format(
        "The process is kept to %.4g of the %llu processors (taskset, a batch system, a container): allow it "
        "%d, or run with %s; then look again.",
        facts.processors, number(facts.processors_online), wanted, threads.c_str());
  }
  return format(
      "The %s kept to %.4g of the %llu processors, as the launcher binds ranks: give each %d (Open MPI: "
      "--map-by slot:PE=%d; MPICH: -bind-to core:%d; Slurm: --cpus-per-task=%d), or run with %s; then look "
      "again.",
      in_job ? "ranks are" : "rank is", facts.processors, number(facts.processors_online), wanted, wanted, wanted,
      wanted, threads.c_str());
}

/// They are bound to the same processors, and others have none.
void Judge::crowding(const Crowding& crowding) {
  constexpr std::size_t most = 4;
  Finding finding;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, crowding.threads.size()); ++i)
    names += (i == 0 ? "" : ", ") + crowding.threads[i];
  if (crowding.threads.size() > most) names += ", ...";
  finding.text = format(
      "%llu threads are bound together to %s %s of %s, and %llu of its %llu processors %s no thread: they were ready "
      "to run but had no processor for %s, %.0f %% of their time (%s). All waiting in the tables below may come from "
      "that "
      "alone.",
      number(crowding.threads.size()), crowding.count == 1 ? "processor" : "processors", crowding.processors.c_str(),
      crowding.host.c_str(), number(crowding.spare), number(crowding.online), crowding.spare == 1 ? "has" : "have",
      time(account_.at(Place::descheduled)).c_str(), 100 * share(crowding.delay, crowding.delay + crowding.processor),
      names.c_str());
  finding.advice =
      crowding.processes > 1
          ? "Each process binds its threads to the same processors, as where OMP_PLACES (or GOMP_CPU_AFFINITY) names "
            "them by number: write OMP_PLACES=cores or threads, and let the launcher give each rank processors of its "
            "own "
            "(Open MPI: --map-by slot:PE=N --bind-to core; MPICH: -bind-to core:N; Slurm: --cpus-per-task=N, for N "
            "threads)."
          : "Give each thread a place of its own (OMP_PLACES=cores OMP_PROC_BIND=close), or bind none "
            "(OMP_PROC_BIND=false).";
  finding.sure = "high";
  finding.id = "oversubscription";
  take_delay(std::move(finding), std::max<std::uint64_t>(1, crowding.threads.size()));
}

void Judge::take_delay(Finding finding, std::uint64_t threads) {
  finding.cells = cells([](const AccountRow& row) { return row.place == Place::descheduled; });
  finding.lost = sum(finding.cells);
  finding.win = finding.lost / threads;
  take(finding.cells);
  verdict_.findings.push_back(std::move(finding));
}

void Judge::oversubscription() {
  if (crowding_) return crowding(*crowding_);
  Finding finding;
  const std::uint64_t there = account_.total - account_.at(Place::absent);
  const std::string of_ranks = report_.mpi.ranks > 1 ? " of " + format_count(report_.mpi.ranks) + " ranks" : "";
  const double processors = report_.facts.processors;
  finding.text = format(
      "%llu threads%s share %.4g processor%s: they were ready to run but had none for %s, %.0f %% of their "
      "time. All waiting in the tables below may come from that alone.",
      number(threads_at_once()), of_ranks.c_str(), processors, processors == 1 ? "" : "s",
      time(account_.at(Place::descheduled)).c_str(), 100 * share(account_.at(Place::descheduled), there));
  finding.advice = how_to_have_processors();
  finding.sure = "high";
  finding.id = "oversubscription";
  take_delay(std::move(finding), threads_);
}

}  // namespace tracer::report
