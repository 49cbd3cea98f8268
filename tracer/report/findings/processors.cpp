// SPDX-License-Identifier: BSD-3-Clause
// Threads and the processors that they had: more of them than there are, and threads that are bound to the same ones.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "tracer/base/processors.hpp"
#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {

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
  const double by_teams = share(in_teams, wall_ - std::min(wall_, account_.serial_wall + account_.device_wall));
  return report_.mpi.ranks > 1 ? std::max(by_teams, share(of_ranks, wall_)) : by_teams;
}

bool Judge::work_filled_the_processors(double processors) const {
  return demand() >= 0.8 * processors;
}

/// The program's own code may wait for what no runtime knows of. What a thread slept it may have slept wherever it
/// waited, for all of that: the rest was in its own code.
void Judge::asleep_at_work() {
  constexpr double much = 0.2;  // of the program's own work
  std::uint64_t asleep = 0, own = 0;
  for (const AccountThread& row : account_.rows) {
    if (!row.facts.known) continue;
    const auto at = [&](Place place) { return row.ns[static_cast<std::size_t>(place)]; };
    const std::uint64_t there = std::accumulate(row.ns.begin(), row.ns.end(), std::uint64_t{0}) - at(Place::absent);
    const std::uint64_t working = at(Place::work) + at(Place::serial);
    const std::uint64_t elsewhere = there - working - at(Place::descheduled);
    const std::uint64_t awake = row.facts.processor + row.facts.delay;
    asleep += std::min(working, there - std::min(there, awake + elsewhere));
    own += working;
  }
  const bool is_whole = report_.part.empty() && !report_.facts.is_cut() && !report_.facts.is_running();
  if (!is_whole || asleep == 0 || share(asleep, own) < much) return;
  asleep_at_work_ = asleep;
  note("asleep-at-work",
       formatted("Of the %s that count as the program's own work its threads slept %s, %.0f %%: they waited for files, "
                 "for time to pass, or for each other by other means than OpenMP's (std::mutex, joining threads, "
                 "Python's interpreter lock). 'tracer run --sample' records when.",
                 time(own).c_str(), time(asleep).c_str(), 100 * share(asleep, own)));
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
  // By default the runtime takes what the process may use by its affinity, whatever a control
  // group leaves it of that.
  const RunFacts& facts = report_.facts;
  const unsigned by_affinity = count_of(mask_of(facts.processor_list));
  const std::uint64_t usual = by_affinity != 0 ? by_affinity : facts.processors_online;
  const auto asked = facts.environment.find("OMP_NUM_THREADS");
  const std::uint64_t requested =
      asked == facts.environment.end() ? usual : std::strtoull(asked->second.c_str(), nullptr, 10);
  const bool sets_number_itself = facts.known && largest != nullptr && report_.mpi.ranks <= 1 &&
                                  largest->threads != requested &&
                                  largest->threads > static_cast<std::uint64_t>(of_team);
  if (!sets_number_itself) {
    const std::string variable = "OMP_NUM_THREADS=" + number_of_threads;
    if (teams == 1) return variable;
    return (teams > static_cast<std::uint64_t>(allowed) ? "fewer such threads and " : "") + variable + " (" +
           format_count(teams) + " threads of the program have teams of up to " +
           format_count(largest == nullptr ? 1 : largest->threads) + " at the same time)";
  }
  return number_of_threads + (of_team == 1 ? " thread" : " threads") +
         (teams > 1 ? " for each of its " + format_count(teams) + " teams" : "") + " (the program itself requests " +
         format_count(largest->threads) + ", by num_threads at " + name(largest->region) +
         " or by omp_set_num_threads, regardless of OMP_NUM_THREADS)";
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
    return formatted(
        "The process is kept to %.4g of the %llu processors (taskset, a batch system, a container): allow it "
        "%d, or run with %s; then look again.",
        facts.processors, number(facts.processors_online), wanted, threads.c_str());
  }
  return formatted(
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
  const std::string lost = time(crowding.descheduled);  // the rest is waiting, which is as long with a processor
  const std::string of_work = lost == time(crowding.delay) ? "" : ", " + lost + " of it when they had work to do";
  const std::string elsewhere =
      crowding.hosts < 2
          ? ""
          : " On " + format_count(crowding.hosts) + " hosts threads are bound together; on this one they wait longest.";
  finding.text = formatted(
      "%llu threads are bound together to %s %s of %s, and %llu of its %llu processors %s no thread: they were ready "
      "to run but had no processor for %s, %.0f %% of their time%s (%s).%s All waiting in the tables below may come "
      "from that alone.",
      number(crowding.threads.size()), crowding.count == 1 ? "processor" : "processors", crowding.processors.c_str(),
      crowding.host.c_str(), number(crowding.spare), number(crowding.online), crowding.spare == 1 ? "has" : "have",
      time(crowding.delay).c_str(), 100 * share(crowding.delay, crowding.delay + crowding.processor), of_work.c_str(),
      names.c_str(), elsewhere.c_str());
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
  take_delay(std::move(finding), crowding.descheduled, std::max<std::uint64_t>(1, crowding.threads.size()));
}

/// `ns`: how long `threads` threads had no processor.
void Judge::take_delay(Finding finding, std::uint64_t ns, std::uint64_t threads) {
  finding.cells = part_of(cells([](const AccountRow& row) { return row.place == Place::descheduled; }), ns);
  finding.lost = sum(finding.cells);
  finding.win = finding.lost / threads;
  take(finding.cells);
  verdict_.findings.push_back(std::move(finding));
}

void Judge::oversubscription() {
  if (crowding_) return crowding(*crowding_);
  Finding finding;
  const std::string of_ranks = report_.mpi.ranks > 1 ? " of " + format_count(report_.mpi.ranks) + " ranks" : "";
  const double processors = report_.facts.processors;
  finding.text = formatted(
      "%llu threads%s share %.4g processor%s: they were ready to run but had none for %s, %.0f %% of their "
      "time. All waiting in the tables below may come from that alone.",
      number(threads_at_once()), of_ranks.c_str(), processors, processors == 1 ? "" : "s",
      time(account_.at(Place::descheduled)).c_str(), 100 * share(account_.at(Place::descheduled), there()));
  finding.advice = how_to_have_processors();
  finding.sure = "high";
  finding.id = "oversubscription";
  take_delay(std::move(finding), account_.at(Place::descheduled), threads_);
}

}  // namespace tracer::report
