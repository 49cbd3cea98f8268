// SPDX-License-Identifier: BSD-3-Clause
// Findings about what surrounds the work: serial parts, start and join of teams, threads without a team, devices.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"
#include "tracer/report/measures/data_regions.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t short_serial = 100'000'000;
constexpr std::uint64_t late_start = 5'000'000;

/// Whether it is before the first parallel region, or behind the last; without any it is both.
bool is_start_or_end(const SerialStretch& stretch) {
  return (stretch.after == undefined_ref) != (stretch.before == undefined_ref);
}

}  // namespace

/// One thread in the whole run, though the process has processors for more. A process that ends early, and the host of
/// a device, may have had nothing else to do.
void Judge::one_thread() {
  const RunFacts& facts = report_.facts;
  if (account_.threads != 1 || account_.most_at_once > 1 || facts.processors < 2 || facts.is_cut() ||
      account_.at(Place::device) != 0 || account_.paused != 0)
    return;
  const bool is_parallel = account_.most_at_once == 1;
  note("one-thread",
       formatted("%s: one thread worked, on one of %.0f processors that the process may use. %s",
                 is_parallel ? "Every parallel region ran with one thread" : "No parallel region ran", facts.processors,
                 is_parallel ? "OMP_NUM_THREADS and num_threads decide how many do."
                             : "Was the code with the parallel regions compiled with -fopenmp, and was it reached?"));
}

/// How long processes are serial, by what their workers idle then: a process of one thread has no share in it. Of
/// processes that follow each other it is the sum.
Judge::SerialPart Judge::serial_part(std::uint64_t idle) const {
  std::uint64_t walls = 0, others = 0;
  for (const AccountProcess& process : account_.processes) {
    if (process.workers < 2) continue;
    walls += process.wall();
    others += process.wall() * (process.workers - 1);
  }
  if (others == 0) return {};
  const double part = share(idle, others) * static_cast<double>(std::min(walls, account_.wall()));
  return {static_cast<std::uint64_t>(part), 1 + share(others, walls), walls > account_.wall()};
}

/// In which workers idled: of a job in a process that has regions, of a process alone not behind the end of its
/// workers, where it may be longer than all of what is serial.
std::optional<SerialStretch> Judge::longest_stretch(std::uint64_t serial) const {
  const bool is_job = account_.processes.size() > 1;
  const auto is_it = [&](const SerialStretch& stretch) {
    if (is_job) return stretch.after != undefined_ref || stretch.before != undefined_ref;
    return stretch.ns <= serial + serial / 4;  // workers come and go meanwhile
  };
  const auto found = std::find_if(account_.stretches.begin(), account_.stretches.end(), is_it);
  if (found == account_.stretches.end()) return std::nullopt;
  SerialStretch longest = *found;
  if (!is_job) longest.ns = std::min(longest.ns, serial);
  return longest;
}

/// What the idle threads lose by it. A process' own start, which no program can help, has cells of its own.
void Judge::serial() {
  const Cells idle = cells_of(Place::serial_idle);
  const std::uint64_t lost = sum(idle);
  const SerialPart part = serial_part(lost);
  const std::uint64_t serial = part.ns;
  if (share(serial, wall_) < 0.05) return;
  if (report_.facts.known && serial < short_serial) return;  // on a loaded machine, what comes before main()
  Finding finding;
  const double s = share(serial, wall_);
  const double n = part.threads;
  finding.text = formatted(
      "%s of %s (%.0f %%) are serial: one thread works outside of parallel regions and %.0f idle, %s in all. The run "
      "is "
      "at most %.1f times as fast as on one thread; with twice the threads it would be at best %.0f %% shorter.",
      time(serial).c_str(), time(wall_).c_str(), s * 100, std::max(1.0, n - 1), time(lost).c_str(), s + (1 - s) * n,
      (1 - s) * 50);
  if (part.is_mean) finding.text += " That is a mean of the processes.";
  if (is_perturbed()) finding.text += " Without being recorded the rest is shorter, and that share larger.";
  const std::optional<SerialStretch> longest = longest_stretch(serial);
  if (longest) {
    finding.place = where(*longest);
    finding.text += " The longest part, " + time(longest->ns) + ", is " + finding.place + ".";
    finding.at = longest->from;
    const RegionRef near = longest->before != undefined_ref ? longest->before : longest->after;
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
  if (longest && 2 * longest->ns >= std::min(serial, account_.serial_wall) && is_start_or_end(*longest)) {
    finding.advice = start_or_end_of_program(*longest);
    if (!doubtful_) finding.sure = "medium";
  }
  add(std::move(finding), "serial", idle);
}

/// What to do where most of what is serial is before the first parallel region, or behind the last.
std::string Judge::start_or_end_of_program(const SerialStretch& longest) const {
  const bool is_start = longest.after == undefined_ref;
  const std::uint64_t at = (is_start ? longest.to : longest.from) - report_.begin;
  return formatted(
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

/// Regions whose threads come late to their first work, or to the join.
void Judge::late_threads() {
  const std::unordered_map<RegionRef, Cells> by_parallel =
      cells_by_parallel([](const AccountRow& cell) { return cell.is(Place::team) && cell.region == cell.parallel; });
  for (const ParallelRow& row : report_.parallels) {
    if (row.count == 0 || row.threads < 2) continue;
    const auto found = by_parallel.find(row.region);
    if (found == by_parallel.end()) continue;
    const Cells& mine = found->second;
    const AccountRow all = summary(mine);
    if (all.ns / row.count / row.threads <= late_start || is_late_by_load(mine)) continue;
    Finding finding = at(row.region);
    finding.at = all.longest_at;
    finding.text = formatted(
        "Threads join %s late: from its start to their first work and at its join they lose %s, the worst time %s.",
        name(row.region).c_str(), time(all.ns).c_str(), time(all.longest).c_str());
    finding.advice =
        "Where threads sleep between regions, OMP_WAIT_POLICY=active (KMP_BLOCKTIME) wakes them sooner; a first "
        "region also creates them. Bind threads (OMP_PROC_BIND) so that they do not wander.";
    add(std::move(finding), "late-threads", mine);
  }
}

/// In the largest process, at one time.
std::uint64_t Judge::threads_of_a_process() const {
  std::uint64_t most = 1;
  for (const AccountProcess& process : account_.processes)
    most = std::max(most, account_.ended != 0 ? process.present : process.threads);
  return most;
}

/// Threads beside regions that use fewer of them: by the region, since that requests so many.
void Judge::unused() {
  if (share(account_.at(Place::unused), there()) < 0.1) return;
  const Cells beside = cells_of(Place::unused);
  const AccountRow all = summary(beside);
  Finding finding = at(all.region);
  const auto most = std::find_if(account_.details.begin(), account_.details.end(), [&](const AccountRow& row) {
    return row.is(Place::unused) && row.region == all.region;
  });
  finding.text =
      formatted("%s of thread time lie beside regions that use fewer threads than %s has (%llu)", time(all.ns).c_str(),
                account_.processes.size() > 1 ? "their process" : "the run", number(threads_of_a_process()));
  if (most != account_.details.end() && all.region != undefined_ref)
    finding.text += formatted(beside.size() == 1 ? ": %s, on %u." : "; most of it, %3$s, beside %1$s, on %2$u.",
                              name(all.region).c_str(), most->threads, time(most->ns).c_str());
  else
    finding.text += ".";
  finding.advice =
      "Give " + (all.region == undefined_ref ? "those regions" : name(all.region)) +
      " all threads, if it has enough work: see its num_threads() or if() clause, omp_set_num_threads() before it, and "
      "nested levels.";
  finding.sure = doubtful_ ? "low" : "medium";
  add(std::move(finding), "unused-threads", beside);
}

/// Of those where copies take longer than kernels, and of those that are idle: how many, and the worst.
std::string Judge::of_devices() const {
  const DeviceRow *copying = nullptr, *idling = nullptr;
  const auto copies = [](const DeviceRow& row) { return row.to_device.ns + row.from_device.ns; };
  std::size_t copy = 0, idle = 0;
  for (const DeviceRow& row : report_.devices) {
    if (row.without_record != 0) continue;  // the host's intervals show little about the device
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
    return all < 2 ? std::string{} : formatted(" The same of %zu other%s, less.", all - 1, all == 2 ? "" : "s");
  };
  std::string text;
  if (copying != nullptr)
    text += formatted(" %s spends %s in copies and %s in kernels.", name_in_job(report_, *copying).c_str(),
                      time(copies(*copying)).c_str(), time(copying->kernel_ns).c_str()) +
            and_others(copy);
  if (idling != nullptr)
    text += formatted(" %s is idle for %.0f %% of the time between its first and last operation.",
                      name_in_job(report_, *idling).c_str(), share(idling->idle, idling->span) * 100) +
            and_others(idle);
  return text;
}

/// Of what threads wait for devices: so much could go on beside the host's own work. That is the time in which a device
/// has nothing while no thread of its process has anything to do with devices, for each of the threads that wait. A
/// copy has the host's memory, which work may not touch meanwhile; what could go on behind kernels, or in turn with
/// them, has findings of its own.
std::uint64_t Judge::beside_devices(const Cells& waits) const {
  std::uint64_t kernels = 0, turns = 0, beside = 0;
  for (const std::size_t cell : waits)
    if (const RegionRef region = account_.details[cell].region;
        region >= classes_.size() || !moves_data_only(classes_[region]))
      kernels += account_.details[cell].ns;
  for (const DataMovementRow& row : report_.data_movement)
    if (row.pattern == DataPattern::turns) turns += row.ns;
  std::map<std::uint32_t, std::vector<std::uint64_t>> waiting;  // of each process: what its threads wait
  for (const AccountThread& row : account_.rows)
    if (const std::uint64_t ns = row.ns[static_cast<std::size_t>(Place::device)]; ns != 0)
      waiting[definitions_.locations[row.location].group].push_back(ns);
  std::map<std::uint32_t, std::uint64_t> idle;  // of each process
  for (const DeviceRow& row : report_.devices)
    if (row.span != 0) idle[row.process] = std::max(idle[row.process], row.time.at(DevicePlace::nothing));
  if (idle.empty()) return kernels;
  for (const auto& [process, ns] : idle) {
    const auto threads = waiting.find(process);
    if (threads == waiting.end()) continue;
    for (const std::uint64_t waits_ns : threads->second) beside += std::min(ns, waits_ns);
  }
  return std::min(kernels, beside - std::min(beside, turns));
}

void Judge::devices() {
  Cells waits = cells_of(Place::device);
  const AccountRow all = summary(waits);
  Finding finding = at(all.region);
  finding.at = all.longest_at;
  finding.text = "Threads wait " + time(all.ns) + " for devices, most of it in " + name(all.region) + ".";
  finding.advice =
      "target nowait with depend lets the host work meanwhile; target data keeps what several kernels use on the "
      "device.";
  finding.advice += pin_memory();
  finding.text += of_devices();
  const std::uint64_t most = beside_devices(waits);
  finding.text += take_idle_beside_devices(waits);
  if (most < all.ns) finding.text += " At most " + time(most) + " of that could go on beside the host's own work.";
  const double with_idle = share(sum(waits), all.ns);
  add(std::move(finding), "device-wait", waits, static_cast<std::uint64_t>(static_cast<double>(most) * with_idle));
}

}  // namespace tracer::report
