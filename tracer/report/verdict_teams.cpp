// SPDX-License-Identifier: BSD-3-Clause
// Findings about what surrounds the work: serial parts, start and join of teams, threads without a team, devices.
#include <algorithm>
#include <map>

#include "tracer/base/text.hpp"
#include "tracer/report/judge.hpp"
#include "tracer/report/processes.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t short_serial = 100'000'000;
constexpr std::uint64_t late_start = 5'000'000;
/// Loading a process and its libraries, and its end: no program can help it.
constexpr std::uint64_t start_of_a_process = 30'000'000;

}  // namespace

void Judge::serial() {
  // Below that, the process' own start is all of it; and that is known to the kernel's tick only.
  // Nor is what the thread that runs it waited for a processor a part of the program.
  std::uint64_t unknown = report_.facts.known ? report_.facts.resolution + start_of_a_process : 0;
  if (!account_.rows.empty()) unknown += account_.rows.front().facts.delay;
  const std::uint64_t serial = account_.serial_wall - std::min(account_.serial_wall, unknown);
  const std::uint64_t processes = std::max<std::uint64_t>(1, account_.processes.size());
  const std::uint64_t threads = std::max<std::uint64_t>(1, threads_ / processes);
  if (threads < 2 || share(serial, wall_) < 0.05) return;
  if (report_.facts.known && serial < short_serial) return;  // on a loaded machine, what comes before main()
  Finding finding;
  const double s = share(account_.serial_wall, wall_);
  const auto n = static_cast<double>(threads);
  finding.text = format(
      "%s of %s (%.0f %%) are serial: one thread works outside of parallel regions and %llu wait. The "
      "run is at most %.1f times as fast as on one thread; with twice the threads it would be "
      "at best %.0f %% shorter.",
      time(account_.serial_wall).c_str(), time(wall_).c_str(), s * 100, number(threads - 1), s + (1 - s) * n,
      (1 - s) * 50);
  if (processes > 1) finding.text += " That is a mean of the processes.";
  if (is_perturbed()) finding.text += " Without being recorded the rest is shorter, and that share larger.";
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
  finding.text += ran_meanwhile(undefined_ref, Activity::idle);
  finding.advice =
      "Put the costliest serial part into a parallel region, or let it overlap with others (tasks); reading and "
      "writing files counts here too.";
  finding.sure = doubtful_ ? "low" : account_.whole_process && !is_perturbed() ? "high" : "medium";
  if (const std::string once = start_or_end_of_program(); !once.empty()) {
    finding.advice = once;
    if (!doubtful_) finding.sure = "medium";
  }
  std::uint64_t lost = 0;
  for (const AccountProcess& process : account_.processes)
    lost += (process.serial_wall - std::min(process.serial_wall, unknown)) *
            (std::max<std::uint64_t>(1, process.threads) - 1);
  add(std::move(finding), "serial", lost);
}

/// What to do where most of what is serial is before the first parallel region, or behind the last; else "".
std::string Judge::start_or_end_of_program() const {
  if (account_.stretches.empty()) return "";
  const SerialStretch& longest = account_.stretches.front();
  const bool is_start = longest.after == undefined_ref, is_end = longest.before == undefined_ref;
  if (is_start == is_end || 2 * (longest.to - longest.from) < account_.serial_wall) return "";
  const std::uint64_t at = (is_start ? longest.to : longest.from) - report_.begin;
  return format(
      "What is %s is the program's %s, and a run that computes for longer has it once as well; the rest of this one is "
      "tracer report --%s %.3fs. Where it grows with the problem, put its costliest part into a parallel region, or "
      "let it overlap with others (tasks).",
      is_start ? "before the first parallel region" : "behind the last parallel region",
      is_start ? "start (libraries, input, first data)" : "end (output, clean-up)", is_start ? "from" : "to",
      static_cast<double>(at) / 1e9);
}

std::string Judge::where(const SerialStretch& stretch) const {
  if (stretch.after == undefined_ref && stretch.before == undefined_ref) return "the whole run";
  if (stretch.after == undefined_ref) return "before the first region, " + name(stretch.before);
  if (stretch.before == undefined_ref) return "behind the last region, " + name(stretch.after);
  return "between " + name(stretch.after) + " and " + name(stretch.before);
}

/// Start and join of a region against what it does.
void Judge::short_regions() {
  struct Sum {
    std::uint64_t team = 0, longest = 0, at = 0;
    std::uint64_t at_ends = 0;  ///< of team: not at barriers between
  };
  std::map<RegionRef, Sum> by_region;
  std::uint64_t unplaced = account_.at(Place::team);
  for (const AccountRow& row : account_.details) {
    if (row.place != Place::team) continue;
    unplaced -= std::min(unplaced, row.ns);
    Sum& sum = by_region[row.parallel];
    sum.team += row.ns;
    if (row.region == row.parallel) sum.at_ends += row.ns;
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
    if (row.count >= often && row.wall / row.count < short_region) {
      std::uint64_t waiting = 0;
      for (const AccountRow& detail : account_.details)
        if (detail.parallel == row.region && detail.place == Place::imbalance) waiting += detail.ns;
      finding.text = format(
          "%s runs %s times for %s each: starting the team, joining it and the barrier between take %s, the "
          "work %s.",
          name(row.region).c_str(), format_count(row.count).c_str(), time(row.wall / row.count).c_str(),
          time(lost + waiting).c_str(), time(row.work).c_str());
      finding.advice =
          "Keep one region open around the loop that starts it (with barriers where needed), make the region "
          "larger, or leave small cases serial by an if() clause.";
      sure(finding, "high");
      small_.push_back(row.region);
      add(std::move(finding), "short-regions", lost + waiting);
    } else if (found->second.at_ends / row.count / row.threads > late_start) {
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

void Judge::unused() {
  if (share(account_.at(Place::unused), account_.total) < 0.1) return;
  Finding finding;
  finding.text = format("%s of thread time lie beside regions that use fewer threads than the run has (%llu).",
                        time(account_.at(Place::unused)).c_str(), number(threads_));
  finding.advice = "Give those regions all threads, if they have enough work (num_threads, nested levels).";
  finding.sure = "low";
  add(std::move(finding), "unused-threads", account_.at(Place::unused));
}

/// Of those where copies take longer than kernels, and of those that are idle: how many, and the worst.
std::string Judge::of_devices() const {
  const DeviceRow *copying = nullptr, *idling = nullptr;
  const auto copies = [](const DeviceRow& row) { return row.to_device.ns + row.from_device.ns; };
  std::size_t copy = 0, idle = 0;
  for (const DeviceRow& row : report_.devices) {
    if (row.without_record != 0) continue;  // the host's intervals say little about the device
    if (copies(row) > row.kernel_ns && row.kernels > 0) {
      ++copy;
      if (copying == nullptr || copies(row) > copies(*copying)) copying = &row;
    }
    if (share(row.idle, row.span) > 0.3) {
      ++idle;
      if (idling == nullptr || share(row.idle, row.span) > share(idling->idle, idling->span)) idling = &row;
    }
  }
  const auto and_others = [](std::size_t all) {
    return all < 2 ? std::string{} : format(" The same of %zu other%s, less.", all - 1, all == 2 ? "" : "s");
  };
  std::string text;
  if (copying != nullptr)
    text += format(" %s spends %s in copies and %s in kernels.", name_in_job(report_, *copying).c_str(),
                   time(copies(*copying)).c_str(), time(copying->kernel_ns).c_str()) +
            and_others(copy);
  if (idling != nullptr)
    text += format(" %s is idle for %.0f %% of the time between its first and last operation.",
                   name_in_job(report_, *idling).c_str(), share(idling->idle, idling->span) * 100) +
            and_others(idle);
  return text;
}

void Judge::devices() {
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
  finding.text += of_devices();
  add(std::move(finding), "device-wait", account_.at(Place::device));
}

}  // namespace tracer::report
