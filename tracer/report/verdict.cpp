// SPDX-License-Identifier: BSD-3-Clause
// What keeps a program from being faster, by the account: findings by the seconds that could be won, each with its
// place, cause, what fits to try and how sure it is; or why nothing can be said.
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "tracer/report/analyze.hpp"
#include "tracer/report/units.hpp"

namespace tracer::report {
namespace {

/// Of the run's time; less is no finding.
constexpr double least_share = 0.03;
constexpr std::uint64_t least_wall = 10'000'000;  ///< shorter runs are their own start
constexpr std::uint64_t event_cost = 40;          ///< ns of a callback and its record, at most
constexpr std::uint64_t short_serial = 100'000'000;
constexpr double too_perturbed = 0.15, too_delayed = 0.10;
constexpr std::uint64_t small_task = 10'000, short_region = 100'000, late_start = 5'000'000;
constexpr std::uint64_t start_of_a_process =
    30'000'000;  ///< loading it and its libraries, and its end: no program can help

[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...) {
  char buffer[1024];
  va_list arguments;
  va_start(arguments, text);
  std::vsnprintf(buffer, sizeof buffer, text, arguments);
  va_end(arguments);
  return buffer;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
unsigned long long number(std::uint64_t value) {
  return value;
}
std::string time(std::uint64_t ns) {
  return duration_text(ns);
}

class Judge {
 public:
  Judge(const Report& report, const Definitions& definitions)
      : report_{report},
        account_{report.account},
        definitions_{definitions},
        classes_{classify(definitions)},
        wall_{account_.end - account_.begin},
        threads_{std::max<std::uint64_t>(1, account_.threads)} {}

  Verdict judge() {
    what_the_run_was();
    how_good_the_trace_is();
    if (verdict_.state == "ok" || verdict_.state == "perturbed") find();
    if (verdict_.state == "oversubscribed") oversubscription();
    std::stable_sort(verdict_.findings.begin(), verdict_.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.win > b.win; });
    summarize();
    return std::move(verdict_);
  }

 private:
  void note(std::string id, std::string text) { verdict_.notes.push_back({std::move(id), std::move(text)}); }
  void no_advice(const char* why) {
    if (verdict_.state == "ok") verdict_.state = why;
  }

  void what_the_run_was() {
    const RunFacts& facts = report_.facts;
    if (facts.killed()) {
      no_advice("killed");
      note("killed", "The program was " + ending_text(facts) + ". What follows is what was recorded until then, " +
                         time(wall_) + " of the process: a part of a run, from which no advice follows.");
    } else if (facts.ended == "without telling") {
      note("no-end", "The program " + ending_text(facts) + ".");
    } else if (facts.exit_status > 0) {
      note("exit-status", format("The program ended with exit status %d: was that a whole run?", facts.exit_status));
    }
    for (const Property& property : report_.properties) {
      const bool loss =
          property.name.find("LOST") != std::string::npos || property.name.find("DROPPED") != std::string::npos;
      const auto count = std::strtoull(property.value.c_str(), nullptr, 10);
      if (!property.name.starts_with("TRACER::") || !loss || count == 0) continue;
      no_advice("incomplete");
      note("incomplete", format("The trace is incomplete: %s = %s. Times and counts are too small; record again with "
                                "more TRACER_MEMORY or with a filter.",
                                property.name.c_str() + 8, property.value.c_str()));
    }
    if (report_.wall < least_wall) {
      no_advice("too short");
      note("too-short", "The run recorded is only " + time(report_.wall) +
                            " long: starting threads takes as long. Give the program more to do.");
    }
  }

  void how_good_the_trace_is() {
    const std::uint64_t there = account_.total - account_.at(Place::absent);
    const double delayed = share(account_.at(Place::descheduled), there);
    const double processors = report_.facts.processors;
    const bool shared = processors > 0 && static_cast<double>(account_.most_at_once) > processors + 0.01;
    const std::uint64_t delay = account_.at(Place::descheduled);
    if (shared && delayed > too_delayed && work_filled_the_processors(processors)) {
      no_advice("oversubscribed");
    } else if (delayed > too_delayed) {
      busy_ = true;
      note("busy-machine",
           format("Threads were ready to run but without a processor for %s, %.0f %% of their time: %s. Repeat the run "
                  "%s before trusting small numbers.",
                  time(delay).c_str(), delayed * 100,
                  shared ? "there are more threads than processors" : "other programs were using the processors",
                  shared ? "with as many threads as processors" : "on a quiet machine"));
    }
    const std::uint64_t active = there - account_.at(Place::serial_idle);
    const std::uint64_t tool = account_.at(Place::tool) + report_.events * event_cost;
    if (share(report_.events * event_cost, active) > too_perturbed) {
      no_advice("perturbed");
      note("perturbed",
           format(
               "Recording %s events took some %.0f %% of the threads' time, so that most times are longer than without "
               "it: only what is as fine-grained as that is said. A filter (--filter, TRACER_RECORD) makes it less.",
               count_text(report_.events).c_str(), 100 * share(tool, active)));
    }
  }

  /// Whether the program's own work, beside all waiting, was able to run on more than the processors there are. What
  /// waits may spin and give its processor away each time: that alone delays nobody. Nor does the load of others.
  bool work_filled_the_processors(double processors) const {
    std::uint64_t able = 0, waiting = 0;
    for (const AccountThread& row : account_.rows) able += row.facts.processor + row.facts.delay;
    for (const AccountRow& row : account_.details)
      if (row.place != Place::team && row.place != Place::device) waiting += row.ns;
    const std::uint64_t in_teams = wall_ - std::min(wall_, account_.serial_wall);
    return static_cast<double>(able - std::min(able, waiting)) >= 0.9 * processors * static_cast<double>(in_teams);
  }

  Finding at(RegionRef region) const {
    Finding finding;
    finding.sure = busy_ ? "low" : "medium";
    if (region >= definitions_.regions.size()) return finding;
    const Region& known = definitions_.regions[region];
    finding.name = known.name;
    finding.file = known.source_file;
    finding.line = known.begin_line;
    finding.function = known.description;
    return finding;
  }
  std::string name(RegionRef region) const {
    if (region >= definitions_.regions.size()) return "an unknown place";
    const Region& known = definitions_.regions[region];
    std::string text = known.name.starts_with("!$omp ") ? known.name.substr(6) : known.name;
    if (!known.description.empty() && text.find(known.description) == std::string::npos)
      text += " in " + known.description;
    return text;
  }
  Construct construct(RegionRef region) const {
    return region < classes_.size() ? classes_[region].construct : Construct::other;
  }
  RegionRole role(RegionRef region) const {
    return region < definitions_.regions.size() ? definitions_.regions[region].role : RegionRole::unknown;
  }
  void sure(Finding& finding, const char* how) const { finding.sure = busy_ ? "low" : how; }

  /// Kept when it is worth a word.
  void add(Finding finding, std::string id, std::uint64_t lost) {
    finding.id = std::move(id);
    finding.lost = lost;
    finding.win = lost / threads_;
    if (finding.at != 0) finding.at -= std::min(finding.at, report_.begin);
    if (share(finding.win, wall_) >= least_share) verdict_.findings.push_back(std::move(finding));
  }

  void find() {
    const bool perturbed = verdict_.state == "perturbed";
    short_regions();
    tasks();
    if (perturbed) return;
    serial();
    imbalance();
    locks();
    devices();
    unused();
  }

  void serial() {
    // Below that, the process' own start is all of it; and that is known to the kernel's tick only.
    // Nor is what the thread that runs it waited for a processor a part of the program.
    std::uint64_t unknown = report_.facts.known ? report_.facts.resolution + start_of_a_process : 0;
    if (!account_.rows.empty()) unknown += account_.rows.front().facts.delay;
    const std::uint64_t serial = account_.serial_wall - std::min(account_.serial_wall, unknown);
    if (threads_ < 2 || share(serial, wall_) < 0.05) return;
    if (report_.facts.known && serial < short_serial) return;  // on a loaded machine, what comes before main()
    Finding finding;
    const double s = share(account_.serial_wall, wall_);
    const auto n = static_cast<double>(threads_);
    finding.text = format(
        "%s of %s (%.0f %%) are serial: one thread works outside of parallel regions and %llu wait. The "
        "run is at most %.1f times as fast as on one thread; with twice the threads it would be "
        "at best %.0f %% shorter.",
        time(account_.serial_wall).c_str(), time(wall_).c_str(), s * 100, number(threads_ - 1), s + (1 - s) * n,
        (1 - s) * 50);
    if (!account_.stretches.empty()) {
      const SerialStretch& longest = account_.stretches.front();
      finding.text += " The longest part, " + time(longest.to - longest.from) + ", is " + where(longest) + ".";
      finding.at = longest.from;
      const RegionRef near = longest.before != undefined_ref ? longest.before : longest.after;
      Finding place = at(near);
      finding.name = place.name;
      finding.file = place.file;
      finding.line = place.line;
      finding.function = place.function;
    }
    finding.advice =
        "Put the costliest serial part into a parallel region, or let it overlap with others (tasks); reading and "
        "writing files counts here too.";
    finding.sure = busy_ ? "low" : account_.whole_process ? "high" : "medium";
    add(std::move(finding), "serial", serial * (threads_ - 1));
  }
  std::string where(const SerialStretch& stretch) const {
    if (stretch.after == undefined_ref && stretch.before == undefined_ref) return "the whole run";
    if (stretch.after == undefined_ref) return "before the first region, " + name(stretch.before);
    if (stretch.before == undefined_ref) return "behind the last region, " + name(stretch.after);
    return "between " + name(stretch.after) + " and " + name(stretch.before);
  }

  /// What kept the last thread: by that, the waiting of the others is one finding.
  void imbalance() {
    std::map<std::pair<RegionRef, RegionRef>, AccountRow> by_cause;  // cause, parallel region
    for (const AccountRow& row : account_.details) {
      if (row.place != Place::imbalance) continue;
      AccountRow& sum = by_cause[{row.cause == undefined_ref ? row.region : row.cause, row.parallel}];
      sum.region = row.region;
      sum.threads = std::max(sum.threads, row.threads);
      sum.ns += row.ns;
      sum.count += row.count;
      if (row.longest > sum.longest) sum.longest = row.longest, sum.longest_at = row.longest_at;
    }
    for (const auto& [key, row] : by_cause)
      if (!is_small(key.second)) uneven(key.first, key.second, row);
  }

  void uneven(RegionRef cause, RegionRef parallel, const AccountRow& row) {
    Finding finding = at(cause);
    finding.at = row.longest_at;
    const std::string waits = format("threads wait %s at %s", time(row.ns).c_str(), name(row.region).c_str());
    const std::string times = row.count > 1 ? format(", in %s executions", count_text(row.count).c_str()) : "";
    std::string id = "imbalance";
    const bool alone = role(cause) == RegionRole::single_sblock;
    switch (alone ? Construct::single : construct(cause)) {
      case Construct::single:
      case Construct::masked:
        id = "single";
        finding.text =
            "One thread alone works in " + name(cause) + " while the others have nothing to do: " + waits + times + ".";
        finding.advice =
            "Share that work (a worksharing loop, tasks), or let the others go on with nowait where what follows "
            "does not need it.";
        sure(finding, "high");
        break;
      case Construct::loop:
        finding.text = "The iterations of " + name(cause) + " are unevenly spread: " + waits +
                       " until the slowest is done" + times + ".";
        finding.advice = for_loop(cause, row.threads);
        sure(finding, "high");
        break;
      case Construct::sections:
        finding.text = "The sections of " + name(cause) + " differ in length: " + waits + times + ".";
        finding.advice = "Make sections of equal work, more than there are threads, or use tasks.";
        sure(finding, "high");
        break;
      case Construct::lock:
        finding.text = "Threads come late to " + name(row.region) + " because they waited in " + name(cause) + ": " +
                       waits + times + ".";
        finding.advice = "See to " + name(cause) + " first.";
        break;
      case Construct::task:
        finding.text = "Tasks of " + name(cause) + " keep one thread longer than the others: " + waits + times + ".";
        finding.advice = "Make the last tasks smaller, or create the long ones first (priority).";
        break;
      default:
        finding.text =
            "The threads of " + name(cause) + " have unequal work: " + waits + " for the slowest" + times + ".";
        finding.advice = for_region(cause, parallel);
        break;
    }
    add(std::move(finding), id, row.ns);
  }

  std::string for_loop(RegionRef loop, std::uint32_t threads) const {
    const auto found = account_.loops.find(loop);
    const std::string schedule =
        found == account_.loops.end() || found->second.schedules.size() != 1 ? "" : *found->second.schedules.begin();
    const std::uint64_t iterations = found == account_.loops.end() ? 0 : found->second.iterations;
    if (iterations > 0 && iterations < 4 * std::uint64_t{threads})
      return format(
          "There are only %llu iterations for %u threads: make more and smaller ones (collapse, an inner loop, "
          "taskloop).",
          number(iterations), threads);
    if (schedule == "dynamic")
      return "Its schedule is dynamic already: smaller chunks, or begin with the costliest iterations, so that no long "
             "one "
             "comes last.";
    if (schedule == "guided")
      return "Its schedule is guided, whose first chunks are large: try schedule(dynamic) with a small chunk.";
    if (schedule == "static")
      return "Its schedule is static: try schedule(dynamic, chunk) or guided when the cost of iterations is not known "
             "before, schedule(static, 1) when it rises or falls steadily.";
    return "If its schedule is static, as by default: try schedule(dynamic, chunk) or guided.";
  }

  /// Code of a parallel region itself: no schedule will help.
  std::string for_region(RegionRef cause, RegionRef) const {
    if (construct(cause) == Construct::parallel)
      return "The work is given out by the region's own code, or by a loop that the compiler does not report (GCC: "
             "static "
             "ones): spread it evenly, by cost rather than by number.";
    return "Spread the work of this part evenly over the threads.";
  }

  void locks() {
    struct Sum {
      std::uint64_t ns = 0, count = 0, longest = 0, at = 0, holder_ns = 0;
      RegionRef holder = undefined_ref;
    };
    std::map<RegionRef, Sum> by_region;
    for (const AccountRow& row : account_.details) {
      if (row.place != Place::locks && row.place != Place::exclusive) continue;
      Sum& sum = by_region[row.region];
      sum.ns += row.ns;
      sum.count += row.count;
      if (row.longest > sum.longest) sum.longest = row.longest, sum.at = row.longest_at;
      if (row.ns > sum.holder_ns) sum.holder_ns = row.ns, sum.holder = row.cause;
    }
    for (const auto& [region, sum] : by_region) {
      Finding finding = at(region);
      finding.at = sum.at;
      const bool ordered = role(region) == RegionRole::ordered, atomic = role(region) == RegionRole::atomic;
      finding.text = format("Threads wait %s at %s, %s times, the longest %s", time(sum.ns).c_str(),
                            name(region).c_str(), count_text(sum.count).c_str(), time(sum.longest).c_str());
      if (sum.holder != undefined_ref && !ordered) finding.text += "; most of it was held at " + name(sum.holder);
      finding.text += ".";
      finding.advice = ordered ? "Only what must be in order belongs into ordered; the loop before it needs a schedule "
                                 "with small chunks "
                                 "(static, 1) so that neighbours run at the same time."
                       : atomic ? "Let each thread sum up for itself and combine once (reduction)."
                                : "Do less while holding it, use several locks for independent data, or give each "
                                  "thread its own copy and "
                                  "combine once (reduction).";
      sure(finding, "high");
      add(std::move(finding), ordered ? "ordered" : "contention", sum.ns);
    }
  }

  /// Start and join of a region against what it does.
  void short_regions() {
    struct Sum {
      std::uint64_t team = 0, longest = 0, at = 0;
    };
    std::map<RegionRef, Sum> by_region;
    std::uint64_t unplaced = account_.at(Place::team);
    for (const AccountRow& row : account_.details) {
      if (row.place != Place::team) continue;
      unplaced -= std::min(unplaced, row.ns);
      Sum& sum = by_region[row.parallel];
      sum.team += row.ns;
      if (row.longest > sum.longest) sum.longest = row.longest, sum.at = row.longest_at;
    }
    std::uint64_t placed = 0;
    for (const auto& [region, sum] : by_region) placed += sum.team;
    for (const ParallelRow& row : report_.parallels) {
      const auto found = by_region.find(row.region);
      if (found == by_region.end() || row.count == 0 || row.threads < 2) continue;
      // What no region is known of is spread over those that are.
      std::uint64_t lost = found->second.team;
      if (placed > 0) lost += static_cast<std::uint64_t>(share(lost, placed) * static_cast<double>(unplaced));
      Finding finding = at(row.region);
      finding.at = found->second.at;
      if (row.count >= 100 && row.wall / row.count < short_region) {
        std::uint64_t waiting = 0;
        for (const AccountRow& detail : account_.details)
          if (detail.parallel == row.region && detail.place == Place::imbalance) waiting += detail.ns;
        finding.text = format(
            "%s runs %s times for %s each: starting the team, joining it and the barrier between take %s, the "
            "work %s.",
            name(row.region).c_str(), count_text(row.count).c_str(), time(row.wall / row.count).c_str(),
            time(lost + waiting).c_str(), time(row.work).c_str());
        finding.advice =
            "Keep one region open around the loop that starts it (with barriers where needed), make the region "
            "larger, or leave small cases serial by an if() clause.";
        sure(finding, "high");
        small_.push_back(row.region);
        add(std::move(finding), "short-regions", lost + waiting);
      } else if (found->second.team / row.count / row.threads > late_start) {
        finding.text = format(
            "Threads join %s late: from its start to their first work and at its join they lose %s, the "
            "worst time %s.",
            name(row.region).c_str(), time(lost).c_str(), time(found->second.longest).c_str());
        finding.advice =
            "Where threads sleep between regions, OMP_WAIT_POLICY=active (KMP_BLOCKTIME) wakes them sooner; a first "
            "region also creates them. Bind threads (OMP_PROC_BIND) so that they do not wander.";
        add(std::move(finding), "late-threads", lost);
      }
    }
  }
  bool is_small(RegionRef parallel) const { return std::find(small_.begin(), small_.end(), parallel) != small_.end(); }

  void tasks() {
    if (account_.tasks == 0) return;
    const std::uint64_t tasking = in_details(Place::tasking) + account_.creates * account_.create_cost;
    const std::uint64_t starving = in_details(Place::starvation);
    const std::uint64_t mean = account_.task_work / account_.tasks;
    RegionRef region = undefined_ref;
    std::uint64_t longest = 0;
    if (!report_.tasks.regions.empty()) {
      const auto most = std::max_element(report_.tasks.regions.begin(), report_.tasks.regions.end(),
                                         [](const TaskRow& a, const TaskRow& b) { return a.count < b.count; });
      region = most->region;
      longest = report_.tasks.longest;
    }
    const std::uint64_t overhead = tasking + starving;
    if (account_.tasks >= 100 && mean < small_task && overhead > account_.task_work / 4) {
      Finding finding = at(region);
      finding.text = format(
          "%s tasks do %s of work each, most of %s; creating, scheduling and waiting for them takes %s, %.1f "
          "times the work.",
          count_text(account_.tasks).c_str(), time(mean).c_str(), name(region).c_str(), time(overhead).c_str(),
          share(overhead, account_.task_work));
      finding.advice =
          "Give each task more work: stop creating them below some depth or size (if(), final(), a serial version; "
          "taskloop grainsize).";
      sure(finding, "high");
      return add(std::move(finding), "small-tasks", overhead);
    }
    if (verdict_.state == "perturbed") return;
    starvation(region, longest);
  }

  /// On the clock, also while the thread was without a processor.
  std::uint64_t in_details(Place place) const {
    std::uint64_t ns = 0;
    for (const AccountRow& row : account_.details)
      if (row.place == place) ns += row.ns;
    return ns;
  }

  void starvation(RegionRef region, std::uint64_t longest) {
    const std::uint64_t starving = in_details(Place::starvation);
    AccountRow worst;
    for (const AccountRow& row : account_.details)
      if (row.place == Place::starvation && row.ns > worst.ns) worst = row;
    Finding finding = at(region);
    finding.at = worst.longest_at;
    const TaskReport& tasks = report_.tasks;
    const double parallelism = share(tasks.graph_work, tasks.graph_path);
    finding.text = format("Threads find no task to run for %s", time(starving).c_str());
    if (account_.tasks < 2 * threads_) {
      finding.text += format(": there are only %llu tasks for %llu threads.", number(account_.tasks), number(threads_));
      finding.advice = "Cut the work into more and smaller tasks.";
    } else if (tasks.dependences > 0 && parallelism < 0.9 * static_cast<double>(threads_)) {
      finding.text +=
          format(": of %s, %llu tasks must run one after the other (%s), which keeps %.1f threads busy.",
                 name(region).c_str(), number(tasks.graph_tasks), time(tasks.graph_path).c_str(), parallelism);
      finding.advice = "Shorten the chain: finer dependences, smaller tasks on it, or priority() for those.";
    } else if (longest * 4 > wall_ || longest > starving / threads_) {
      finding.text += format(": the longest task takes %s, and the others are done before it.", time(longest).c_str());
      finding.advice = "Cut the long task into smaller ones, or create it first.";
    } else {
      finding.text += ": they are created too slowly or too few at a time, by " +
                      name(worst.cause != undefined_ref ? worst.cause : worst.region) + ".";
      finding.advice = "Let several threads create tasks (taskloop, recursive creation), or give each more work.";
    }
    add(std::move(finding), "starvation", starving);
  }

  void devices() {
    RegionRef region = undefined_ref;
    std::uint64_t most = 0, when = 0;
    for (const AccountRow& row : account_.details)
      if (row.place == Place::device && row.ns > most) most = row.ns, region = row.region, when = row.longest_at;
    Finding finding = at(region);
    finding.at = when;
    finding.text =
        "Threads wait " + time(account_.at(Place::device)) + " for devices, most of it in " + name(region) + ".";
    finding.advice =
        "target nowait with depend lets the host work meanwhile; target data keeps what several kernels use on the "
        "device.";
    for (const DeviceRow& row : report_.devices) {
      const std::uint64_t copies = row.to_device.ns + row.from_device.ns;
      if (copies > row.kernel_ns && row.kernels > 0)
        finding.text += format(" %s spends %s in copies and %s in kernels.", row.name.c_str(), time(copies).c_str(),
                               time(row.kernel_ns).c_str());
      if (share(row.idle, row.span) > 0.3)
        finding.text += format(" %s is idle for %.0f %% of the time between its first and last operation.",
                               row.name.c_str(), share(row.idle, row.span) * 100);
    }
    add(std::move(finding), "device-wait", account_.at(Place::device));
  }

  void unused() {
    if (share(account_.at(Place::unused), account_.total) < 0.1) return;
    Finding finding;
    finding.text = format("%s of thread time lie beside regions that use fewer threads than the run has (%llu).",
                          time(account_.at(Place::unused)).c_str(), number(threads_));
    finding.advice = "Give those regions all threads, if they have enough work (num_threads, nested levels).";
    finding.sure = "low";
    add(std::move(finding), "unused-threads", account_.at(Place::unused));
  }

  void oversubscription() {
    Finding finding;
    const std::uint64_t there = account_.total - account_.at(Place::absent);
    finding.text = format(
        "%llu threads share %.4g processors: they were ready to run but had none for %s, %.0f %% of their "
        "time. All waiting in the tables below may come from that alone.",
        number(account_.most_at_once), report_.facts.processors, time(account_.at(Place::descheduled)).c_str(),
        100 * share(account_.at(Place::descheduled), there));
    finding.advice = format("Run with OMP_NUM_THREADS=%d, or on more processors; then look again.",
                            static_cast<int>(std::max(1.0, report_.facts.processors)));
    finding.sure = "high";
    const std::uint64_t lost = account_.at(Place::descheduled);
    finding.id = "oversubscription";
    finding.lost = lost;
    finding.win = lost / threads_;
    verdict_.findings.push_back(std::move(finding));
  }

  void summarize() {
    const std::uint64_t there = account_.total - account_.at(Place::absent);
    const double work = share(account_.at(Place::work) + account_.at(Place::serial), there);
    if (verdict_.state != "ok" && verdict_.findings.empty()) {
      verdict_.summary = "No advice: " + (verdict_.notes.empty() ? verdict_.state : "the run " + reason()) + ".";
    } else if (!verdict_.findings.empty()) {
      verdict_.summary = "At most " + time(verdict_.findings.front().win) + " of " + time(wall_) + " could be won by " +
                         verdict_.findings.front().id +
                         (verdict_.findings.front().name.empty() ? "" : " (" + verdict_.findings.front().name + ")") +
                         ".";
    } else if (work > 0.8) {
      verdict_.summary =
          format("Nothing stands out: %.0f %% of the threads' time is the program's own work.", work * 100);
    } else {
      Place most = Place::unknown;
      for (std::size_t p = 0; p < places; ++p) {
        const auto place = static_cast<Place>(p);
        if (place != Place::work && place != Place::serial && place != Place::absent &&
            account_.at(place) > account_.at(most))
          most = place;
      }
      verdict_.summary = format(
          "No single cause stands out: %.0f %% of the threads' time is the program's own work; most of the "
          "rest is \"%s\" (%s).",
          work * 100, text_of(most), time(account_.at(most)).c_str());
    }
  }
  std::string reason() const {
    if (verdict_.state == "killed") return "was " + ending_text(report_.facts);
    if (verdict_.state == "incomplete") return "is recorded only in part";
    if (verdict_.state == "too short") return "is too short";
    if (verdict_.state == "perturbed") return "is slowed down by being recorded";
    return verdict_.state;
  }

  const Report& report_;
  const Account& account_;
  const Definitions& definitions_;
  const std::vector<RegionClass> classes_;
  const std::uint64_t wall_, threads_;
  bool busy_ = false;
  std::vector<RegionRef> small_;  ///< parallel regions whose waiting is their shortness
  Verdict verdict_;
};

}  // namespace

Verdict verdict_on(const Report& report, const Definitions& definitions) {
  return Judge{report, definitions}.judge();
}

std::vector<Hint> hints_for(const Report& report) {
  std::vector<Hint> hints;
  for (const Note& one : report.verdict.notes) hints.push_back({one.id, one.text, 0});
  for (const Finding& finding : report.verdict.findings)
    hints.push_back({finding.id, finding.text + " " + finding.advice,
                     share(finding.win, report.account.end - report.account.begin)});
  return hints;
}

}  // namespace tracer::report
