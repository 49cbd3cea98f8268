// SPDX-License-Identifier: BSD-3-Clause
// See mpi_text.hpp.
#include "tracer/report/forms/mpi_text.hpp"

#include <algorithm>
#include <numeric>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

std::uint64_t sum(const auto& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

/// Blanks before a process' name: two for each process above it.
std::size_t depth_of(const ProcessRow& row, const ProcessesByGroup& processes) {
  std::size_t depth = 0;
  for (const ProcessRow* above = processes.find(row.parent); above != nullptr && depth < 8;
       above = processes.find(above->parent))
    ++depth;
  return 2 * depth;
}

Table processes_table(const Report& report) {
  Table table{"Processes",
              {"process", ">threads", ">streams", ">work", ">waiting", ">MPI", ">device", ">idle", "ended"}};
  const bool are_several = has_several_programs(report.processes);
  const ProcessesByGroup processes{report.processes};
  for (const ProcessRow& row : report.processes) {
    const std::uint64_t all = sum(row.ns);
    const std::uint64_t waiting =
        at(row.ns, Activity::barrier) + at(row.ns, Activity::task_wait) + at(row.ns, Activity::lock_wait);
    const std::string ended = ending_text(row.facts);
    const std::string program = row.program.substr(row.program.rfind('/') + 1);
    const bool is_named = !are_several || program.empty() || row.name.find('(' + program + ')') != row.name.npos;
    table.add({std::string(depth_of(row, processes), ' ') + row.name + (is_named ? "" : " (" + program + ")"),
               format_count(row.threads.size()), row.streams.empty() ? "-" : format_count(row.streams.size()),
               percent_or_dash(at(row.ns, Activity::work), all), percent_or_dash(waiting, all),
               percent_or_dash(at(row.ns, Activity::mpi), all), percent_or_dash(at(row.ns, Activity::device), all),
               percent_or_dash(at(row.ns, Activity::idle), all), ended});
  }
  return table;
}

Table ranks_table(const MpiReport& mpi, const std::vector<ProcessRow>& processes) {
  Table table{"MPI by rank",
              {"rank", ">in MPI", ">messages", ">collective", ">waited", ">made wait", ">sent", ">", ">received", ">"}};
  const ProcessesByGroup by_group{processes};
  for (const MpiRankRow& row : mpi.rank_rows) {
    if (row.group == undefined_ref && mpi.rank_rows.size() > 1 && row.total == 0) continue;
    table.add({by_group.name_or(row.group, mpi.rank_text(row.rank)), duration_or_dash(row.total),
               duration_or_dash(row.messages), duration_or_dash(row.collectives), duration_or_dash(sum(row.waited)),
               duration_or_dash(row.caused), format_count(row.sends), bytes_or_dash(row.sent),
               format_count(row.receives), bytes_or_dash(row.received)});
  }
  return table;
}

Table calls_table(const MpiReport& mpi) {
  Table table{"MPI by function",
              {"function", ">calls", ">total", ">mean", ">longest", ">waited", ">sent", ">received", ">most time"}};
  for (const MpiCallRow& row : mpi.calls) {
    table.add({row.name, format_count(row.count), duration_text(row.total), duration_text(row.total / row.count),
               duration_text(row.longest), duration_or_dash(row.waiting), bytes_or_dash(row.sent),
               bytes_or_dash(row.received), mpi.rank_text(row.longest_rank) + ": " + duration_text(row.most)});
  }
  return table;
}

Table waits_table(const MpiReport& mpi) {
  std::string kinds;
  for (std::size_t kind = 0; kind < mpi_waits; ++kind) {
    if (mpi.waited[kind] == 0) continue;
    kinds += (kinds.empty() ? ": " : ", ") + std::string{text_of(static_cast<MpiWait>(kind))} + " " +
             duration_text(mpi.waited[kind]);
  }
  Table table{"Waiting inside MPI" + kinds, {"waits in", "wait state", "for", ">time", ">count", ">longest", "of it"}};
  for (const MpiWaitRow& row : mpi.waits) {
    table.add({row.name, text_of(row.kind), row.cause_name, duration_text(row.ns), format_count(row.count),
               duration_text(row.longest),
               mpi.rank_text(row.longest_rank) + " for " + mpi.rank_text(row.longest_cause)});
  }
  return table;
}

std::string ranks_of_cell(const MpiReport& mpi, std::uint32_t cell) {
  const std::uint32_t first = cell * mpi.matrix.ranks_per_cell;
  const std::uint32_t last = std::min(first + mpi.matrix.ranks_per_cell, mpi.ranks) - 1;
  return last == first ? mpi.labels[first] : std::to_string(first) + "-" + std::to_string(last);
}

Table pairs_table(const MpiReport& mpi) {
  const MpiMatrix& matrix = mpi.matrix;
  Table table{matrix.ranks_per_cell == 1 ? "Messages between ranks"
                                         : "Messages between each " + std::to_string(matrix.ranks_per_cell) + " ranks",
              {"from -> to", ">messages", ">bytes", ">mean"}};
  std::vector<std::uint32_t> cells;
  for (std::uint32_t cell = 0; cell < matrix.messages.size(); ++cell)
    if (matrix.messages[cell] != 0) cells.push_back(cell);
  std::stable_sort(cells.begin(), cells.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair{matrix.bytes[a], matrix.messages[a]} > std::pair{matrix.bytes[b], matrix.messages[b]};
  });
  for (const std::uint32_t cell : cells) {
    table.add({ranks_of_cell(mpi, cell / matrix.cells) + " -> " + ranks_of_cell(mpi, cell % matrix.cells),
               format_count(matrix.messages[cell]), bytes_or_dash(matrix.bytes[cell]),
               bytes_or_dash(matrix.bytes[cell] / matrix.messages[cell])});
  }
  return table;
}

/// What limits the tables: the reader needs it first.
std::string doubts(const MpiReport& mpi, const TextOptions& options) {
  std::string out;
  const auto say = [&](const std::string& text) { out += wrapped("* " + text, 2, options.width); };
  say("Calls before MPI_Init or MPI_Session_init (MPI_Initialized, MPI_Get_version and the like) are not recorded.");
  if (mpi.unmatched != mpi.given_up)
    say(format_count(mpi.unmatched - mpi.given_up) +
        " sends and receives have no partner in this trace: no wait state is derived from them.");
  if (mpi.given_up != 0)
    say(format_count(mpi.given_up) + " sends and receives were not matched, since more than " +
        format_count(mpi.most_open) + " messages were under way: no wait state is derived from them.");
  if (mpi.reversed != 0)
    say(format_count(mpi.reversed) + " messages were received before they were sent, by the clocks of their hosts.");
  if (mpi.clock_uncertainty != 0)
    say("Times of different hosts may be off by " + duration_text(mpi.clock_uncertainty) +
        ": shorter waits between them mean nothing.");
  if (mpi.incomplete_collectives != 0)
    say(format_count(mpi.incomplete_collectives) + " collective operations lack some of their ranks.");
  if (mpi.out_of_step != 0)
    say("On " + format_count(mpi.out_of_step) +
        (mpi.out_of_step == 1 ? " communicator or window" : " communicators or windows") +
        " the ranks' collective operations do not match, as after a call that failed at some ranks, or lost events: no "
        "wait state is derived from those behind the first that differs.");
  if (mpi.never_completed != 0)
    say(format_count(mpi.never_completed) +
        " requests were never completed, by MPI_Wait or MPI_Test or their like: MPI keeps their memory, and "
        "the program does not learn their outcome.");
  return out;
}

}  // namespace

std::string processes_text(const Report& report, const TextOptions& options) {
  if (report.processes.size() < 2) return {};
  const Balance& balance = report.process_balance;
  std::string out = processes_table(report).text(options);
  if (balance.max == 0) return out;
  const std::string line =
      formatted("load balance of their work: slowest %s of a mean of %s, %.2f times (%s)",
                duration_text(balance.max).c_str(), duration_text(static_cast<std::uint64_t>(balance.mean())).c_str(),
                balance.max_over_mean(), balance.slowest.c_str());
  return out + wrapped(line, 2, options.width);
}

std::string mpi_text(const Report& report, const TextOptions& options) {
  const MpiReport& mpi = report.mpi;
  if (mpi.ranks == 0) return {};
  return ranks_table(mpi, report.processes).text(options) + calls_table(mpi).text(options) +
         waits_table(mpi).text(options) + doubts(mpi, options) + pairs_table(mpi).text(options);
}

}  // namespace tracer::report
