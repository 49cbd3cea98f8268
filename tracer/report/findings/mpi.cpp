// SPDX-License-Identifier: BSD-3-Clause
// Findings about MPI: ranks that wait for each other, threads that idle beside one that communicates, unequal ranks.
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

#include "tracer/base/text.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/mpi/world.hpp"
#include "tracer/report/findings/judge.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

const char* what_the_other_does(MpiWait kind) {
  switch (kind) {
    case MpiWait::late_sender:
      return "which sends late";
    case MpiWait::late_receiver:
      return "which requests the message late";
    case MpiWait::lock:
      return "which has the lock until then";
    case MpiWait::late_post:
      return "which exposes its window late";
    case MpiWait::early_wait:
      return "which is done with the window late";
    default:
      return "which comes late";
  }
}

constexpr const char* advice_for_late_ranks = "Spread the work before it evenly over the ranks.";

const char* advice_for(MpiWait kind) {
  switch (kind) {
    case MpiWait::late_sender:
      return "Let the sender send before other work, or post the receive early (MPI_Irecv) and work until it is "
             "needed; where the sender has more work, see to that.";
    case MpiWait::late_receiver:
      return "Post the receive before other work (MPI_Irecv), or let the sender continue (MPI_Isend) and wait later.";
    case MpiWait::barrier:
      return "Is the barrier needed? Where it is: spread the work before it evenly over the ranks.";
    case MpiWait::nxn:
      return "Spread the work before it evenly over the ranks; a non-blocking operation lets the early ones work on.";
    case MpiWait::early_reduce:
      return "The root could work meanwhile (MPI_Ireduce), or come later; spread the others' work evenly.";
    case MpiWait::late_broadcast:
      return "Let the root do it before other work, or the others something in between (MPI_Ibcast).";
    case MpiWait::fence:
      return "Spread the work before it evenly over the ranks; MPI_Win_post and MPI_Win_start, or locks, let only "
             "those "
             "wait for each other that communicate.";
    case MpiWait::lock:
      return "Do less between MPI_Win_lock and MPI_Win_unlock, take a shared lock where it suffices (MPI_Accumulate "
             "needs no other), or spread the data over the windows of more ranks.";
    case MpiWait::late_post:
      return "Let the target call MPI_Win_post before other work, or the origin MPI_Win_start behind its own.";
    case MpiWait::early_wait:
      return "Let the target work until it needs the data (MPI_Win_test), or the origins call MPI_Win_complete as soon "
             "as their operations are begun.";
    default:
      return advice_for_late_ranks;
  }
}

bool is_one_of(std::string_view call, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), call) != names.end();
}

/// The program cannot do much else while MPI begins and ends.
bool is_begin_or_end(std::string_view call) {
  return is_one_of(call, {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init", "MPI_Session_finalize"});
}

/// It tests whether something is there, and programs call it again and again until there is.
bool is_poll(std::string_view call) {
  return is_one_of(call, {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe",
                          "MPI_Request_get_status", "MPI_Parrived", "MPI_Win_test"});
}

constexpr double mostly = 0.5;          ///< of the run
constexpr double least_unequal = 0.03;  ///< of the run

constexpr const char* advice_for_unequal_ranks =
    "Cut the problem by the work of its parts rather than by their size, or move parts while it runs.";

}  // namespace

/// Using a thread level that was not requested from MPI is an error of the program, though it often goes well
/// (MPI 4.0, 11.6.1).
void Judge::level_of_threads() {
  const Property* const level = find_property(report_.properties, properties::mpi_threads);
  const MpiReport& mpi = report_.mpi;
  if (level == nullptr || mpi.other_calls == 0 || mpi.other_region >= definitions_.regions.size()) return;
  if (level->value != "single" && level->value != "funneled") return;
  note("mpi-thread-level",
       "MPI was begun for calls by one thread (MPI_THREAD_" +
           std::string{level->value == "single" ? "SINGLE" : "FUNNELED"} + "), and others made " +
           format_count(mpi.other_calls) + ", the first of them " + name_in_job(definitions_, mpi.other_thread) +
           " in " + definitions_.regions[mpi.other_region].name +
           ": such a program may hang or compute wrong numbers. Ask for MPI_THREAD_MULTIPLE by MPI_Init_thread, or "
           "MPI_THREAD_SERIALIZED where no two threads call at one time.");
}

/// An error of the program that many an MPI forgives, as long as messages are small. Of what was killed, has losses or
/// is a part, the receives may be missing, and so they are of ranks that left no trace.
void Judge::never_received() {
  const MpiReport& mpi = report_.mpi;
  if (mpi.never_received == 0 || mpi.never_received_by >= definitions_.regions.size() || !report_.part.empty()) return;
  if (lacks_.ranks) return;
  const bool one = mpi.never_received == 1;
  note("never-received",
       format_count(mpi.never_received) + (one ? " message was" : " messages were") + " sent and never received" +
           (one ? ": by " : ", the first by ") + definitions_.regions[mpi.never_received_by].name + " of " +
           mpi.rank_text(mpi.never_received_from) + " to " + mpi.rank_text(mpi.never_received_to) +
           ". A send without a receive may wait forever where messages are larger, or on another MPI.");
}

/// They may be most of a trace, and contain no information.
void Judge::polls() {
  constexpr std::uint64_t many = 1'000'000;
  const std::uint64_t left_out = counter_of(definitions_, "MPI_NOT_TOLD_CALLS_THAT_FOUND_NOTHING");
  if (left_out != 0) {
    note("polls-left-out",
         format_count(left_out) +
             " calls of MPI that found nothing are not in the trace (TRACER_RECORD): their time counts "
             "as the program's own work.");
    return;
  }
  std::uint64_t calls = 0;
  const MpiCallRow* most = nullptr;
  for (const MpiCallRow& call : report_.mpi.calls) {
    if (!is_poll(call.name)) continue;
    calls += call.count;
    if (most == nullptr || call.count > most->count) most = &call;
  }
  if (most == nullptr || calls < many || share(2 * calls, report_.events) < mostly) return;
  note("polls", formatted("%.0f %% of the trace are %s calls of %s and the like, most of which find nothing. "
                          "TRACER_RECORD=-polls leaves those out, and makes traces of longer runs small.",
                          100 * std::min(1.0, share(2 * calls, report_.events)), format_count(calls).c_str(),
                          most->name.c_str()));
}

/// Without what early ranks wait there for the last one: that grows with the run.
void Judge::begin_and_end_of_mpi() {
  std::uint64_t ns = 0;
  for (const MpiCallRow& call : report_.mpi.calls)
    if (is_begin_or_end(call.name)) ns += call.total - std::min(call.total, call.waiting);
  ns /= std::max<std::size_t>(1, report_.mpi.rank_rows.size());
  if (share(ns, wall_) < mostly) return;
  note("mpi-begin-and-end",
       formatted(
           "MPI's beginning and end (MPI_Init, MPI_Finalize) took %s of a rank's %s. A longer run has that once as "
           "well: the shares of all else are larger there.",
           time(ns).c_str(), time(wall_).c_str()));
}

/// Launchers start them in their own environment, not in that of the process that spawns them.
void Judge::spawned_programs() {
  const auto is_spawn = [](const MpiCallRow& call) {
    return call.name == "MPI_Comm_spawn" || call.name == "MPI_Comm_spawn_multiple";
  };
  const auto& calls = report_.mpi.calls;
  if (report_.facts.exit_status > 0) return;  // perhaps since it could not start them
  if (!report_.part.empty() || report_.mpi.worlds > 1 || std::none_of(calls.begin(), calls.end(), is_spawn)) return;
  note("mpi-spawned",
       "What MPI_Comm_spawn started is not in this trace: its launcher ran without the tool. Trace the launcher as a "
       "whole: tracer run -- mpirun ...");
}

/// One finding for the calls that wait and those that they wait for, with what other threads idle meanwhile.
void Judge::waits_in_mpi() {
  const std::string unequal = unequal_ranks();
  bool is_first = true;
  for (const MpiWaitRow& row : report_.mpi.waits) {
    const Cells mine = cells([&](const AccountRow& cell) {
      return cell.wait == row.kind && cell.region == row.region && cell.cause == row.cause;
    });
    std::uint64_t waited = 0;
    for (const std::size_t cell : mine)
      if (account_.details[cell].place == Place::mpi) waited += account_.details[cell].ns;
    const std::uint64_t lost = sum(mine);
    Finding finding = at(row.region);
    finding.at = row.longest_at;
    finding.text = formatted("%s: ranks wait %s in %s, %s times; most of it, %s, by %s.", text_of(row.kind),
                             time(waited).c_str(), row.name.c_str(), format_count(row.count).c_str(),
                             time(row.most_ns).c_str(), report_.mpi.rank_text(row.most_rank).c_str());
    finding.text += others_idle(lost - waited, lost);
    finding.text += formatted(" They wait for %s of %s (%s), %s.", row.cause_name.c_str(),
                              report_.mpi.rank_text(row.most_cause).c_str(), time(row.most_cause_ns).c_str(),
                              what_the_other_does(row.kind));
    finding.text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(finding.text.front())));
    // The end of MPI cannot be left out.
    const bool is_at_end =
        row.region < definitions_.regions.size() && is_begin_or_end(definitions_.regions[row.region].canonical);
    finding.advice = is_at_end ? advice_for_late_ranks : advice_for(row.kind);
    // The same seconds from their other side: no finding of its own.
    if (is_first && !unequal.empty()) {
      finding.text += " " + unequal;
      finding.advice += " " + std::string{advice_for_unequal_ranks};
    }
    is_first = false;
    sure(finding, row.ns / row.count < report_.mpi.clock_uncertainty ? "low" : "high");
    std::string id = name_of(row.kind);
    std::replace(id.begin(), id.end(), '_', '-');
    add(std::move(finding), id, mine);
  }
}

/// What one thread's communication costs the others: not its waiting, which has findings of its own.
void Judge::idle_beside_mpi() {
  const Cells mine = cells([this](const AccountRow& row) {
    return row.is(Place::mpi_idle) && !row.wait && row.region < definitions_.regions.size() &&
           !is_begin_or_end(definitions_.regions[row.region].canonical);
  });
  const AccountRow all = summary(mine);
  Finding finding = at(all.region);
  finding.text = formatted("Threads idle %s while one thread of their process is in MPI, most of it in %s.",
                           time(all.ns).c_str(), name(all.region).c_str());
  finding.advice =
      "Let the other threads compute meanwhile (non-blocking calls, tasks), or several threads communicate "
      "(MPI_THREAD_MULTIPLE); more ranks with fewer threads have less of it.";
  add(std::move(finding), "mpi-idle", mine);
}

/// The ranks' work as time of the run: what all threads of a rank do in its regions is divided by them.
Balance Judge::balance_of_ranks() const {
  Balance balance;
  const ProcessesByGroup names{report_.processes};
  for (const AccountProcess& process : account_.processes) {
    const auto at = [&](Place place) { return process.ns[static_cast<std::size_t>(place)]; };
    const std::uint64_t threads = std::max<std::uint64_t>(1, account_.ended != 0 ? process.present : process.threads);
    const std::uint64_t work = at(Place::serial) + at(Place::work) / threads;
    if (balance.threads++ == 0 || work > balance.max) balance.slowest = names.name_or(process.group, "");
    balance.max = std::max(balance.max, work);
    balance.sum += work;
  }
  return balance;
}

/// "" where they have equal work, or that is unknown: they may wait for ranks that are not here.
std::string Judge::unequal_ranks() const {
  const Balance balance = balance_of_ranks();
  // Ranks of different jobs do not wait for each other.
  if (lacks_.ranks || report_.mpi.ranks < 2 || report_.mpi.worlds != 1 || balance.threads < 2) return "";
  if (share(balance.max - balance.sum / balance.threads, wall_) < least_unequal) return "";
  return formatted("Ranks have unequal work: %s works %s, the mean is %s; the others wait for it inside MPI.",
                   balance.slowest.c_str(), time(balance.max).c_str(),
                   time(static_cast<std::uint64_t>(balance.mean())).c_str());
}

/// Where no call is seen to wait, as when messages are not recorded: what ranks are inside MPI beside the work. Waits
/// that are seen are the same seconds, and beside these MPI's begin and end take as long whatever the ranks have to do.
void Judge::ranks() {
  const Balance balance = balance_of_ranks();
  const std::string text = unequal_ranks();
  if (text.empty()) return;
  Cells mine;
  std::uint64_t waited = 0;
  std::uint64_t left = balance.max * balance.threads - balance.sum;
  for (const AccountRow& row : account_.details)
    if (row.is(Place::mpi) && row.wait) left -= std::min(left, row.ns);
  for (const std::size_t cell : cells([this](const AccountRow& row) {
         return row.is(Place::mpi) && !row.wait && row.region < definitions_.regions.size() &&
                !is_begin_or_end(definitions_.regions[row.region].canonical);
       })) {
    if (left == 0) break;
    const AccountRow whole = account_.details[cell];
    const std::uint64_t ns = std::min(left, whole.ns);
    mine.push_back(ns < whole.ns ? split(cell, ns, Place::mpi) : cell);
    left -= ns;
    waited += ns;
    if (whole.parallel == undefined_ref) take_idle(mine, Place::mpi_idle, whole.region, share(ns, whole.ns));
  }
  Finding finding;
  finding.text = text + " That is " + time(waited) + " of it." + others_idle(sum(mine) - waited, sum(mine));
  finding.advice = advice_for_unequal_ranks;
  finding.sure = doubtful_ ? "low" : "medium";
  add(std::move(finding), "rank-imbalance", mine);
}

}  // namespace tracer::report
