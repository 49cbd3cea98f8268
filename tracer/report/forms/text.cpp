// SPDX-License-Identifier: BSD-3-Clause
// The report for the terminal.
#include <algorithm>
#include <map>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/forms/devices_text.hpp"
#include "tracer/report/forms/io_tables.hpp"
#include "tracer/report/forms/mpi_text.hpp"
#include "tracer/report/forms/phase_table.hpp"
#include "tracer/report/forms/samples_text.hpp"
#include "tracer/report/forms/table.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/measures/processes.hpp"
#include "tracer/report/measures/ratios.hpp"

namespace tracer::report {
namespace {

std::string number(double value, int digits = 2) {
  return formatted("%.*f", digits, value);
}
/// "1 of 2 processors for the process".
std::string processors_text(const Report& report) {
  const RunFacts& facts = report.facts;
  const bool are_all = static_cast<double>(facts.processors_online) <= facts.processors;
  const std::string of_all = are_all ? "" : " of " + format_count(facts.processors_online);
  return formatted("%.4g", facts.processors) + of_all +
         (are_all && facts.processors == 1 ? " processor" : " processors") +
         (report.processes.size() > 1 ? " for the processes" : " for the process");
}

/// "a.out"; of a job of several "ocean (3 processes), air (1 process)".
std::string program_text(const Report& report) {
  std::vector<std::pair<std::string, std::uint64_t>> programs;
  for (const ProcessRow& process : report.processes) {
    if (process.program.empty()) continue;  // left no trace
    auto known = std::find_if(programs.begin(), programs.end(),
                              [&](const auto& program) { return program.first == process.program; });
    if (known == programs.end()) known = programs.insert(known, {process.program, 0});
    ++known->second;
  }
  if (programs.size() < 2) return report.program.empty() ? "unknown" : report.program;
  std::string text;
  const std::size_t shown = std::min<std::size_t>(programs.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, count] = programs[i];
    text += (i == 0 ? "" : ", ") + name + " (" + format_counted(count, "process") + ")";
  }
  return programs.size() == shown ? text : text + ", and " + format_count(programs.size() - shown) + " more";
}

/// How many there are, and what of the archive is not among them.
std::string events_text(const Report& report) {
  const auto not_read = report.event_counts.find("unread");
  const std::uint64_t unread = not_read == report.event_counts.end() ? 0 : not_read->second;
  const CountedKinds hidden = counted_kinds(report.untranslated);
  return "events       " + format_count(report.events) +
         (report.irregular != 0 ? " (" + format_count(report.irregular) + " out of place)" : std::string{}) +
         (hidden.count != 0 ? "; " + format_count(hidden.count) + " of kinds that are not shown (" + hidden.names + ")"
                            : "") +
         (unread != 0 ? "; " + format_count(unread) + " of a later version of OTF2 not read" : "") + "\n";
}

/// Where libgomp was used: which runtimes there were, and how many threads worked for each. "" where only one that
/// calls tools was.
std::string runtimes_text(const RunFacts& facts) {
  if (std::none_of(facts.runtimes.begin(), facts.runtimes.end(), is_libgomp)) return {};
  std::string text;
  for (const RuntimeUse& use : facts.runtimes)
    text += (text.empty() ? "runtimes     " : "\n             ") + use.library + " with " +
            format_counted(use.threads, "thread");
  return text + "\n";
}

void summary(const Report& report, std::string& out) {
  out += "program      " + program_text(report) + "\n";
  const Account& account = report.account;
  const std::uint64_t wall = account.end - account.begin;
  if (!report.part.empty()) out += "part         " + report.part + "\n";
  if (!report.filter.empty()) out += "filter       " + report.filter + "\n";
  if (account.whole_process) {
    out += "process      " + duration_text(wall) + ", of it " + duration_text(report.wall) +
           (report.mpi.ranks == 0 ? " with OpenMP\n"
            : report.has_openmp   ? " with OpenMP and MPI\n"
                                  : " with MPI\n");
  } else {
    out += "wall time    " + duration_text(report.wall) + "\n";
  }
  if (account.is_confined)
    out += "in phases    " + duration_text(account.wall()) + " of that, a mean of the processes\n";
  if (const std::string ending = ending_text(report.facts, report.processes); !ending.empty())
    out += "ended        " + ending + "\n";
  if (!report.facts.host.empty()) {
    out += "host         " + report.facts.host;
    if (report.facts.processors > 0) out += ", " + processors_text(report);
    if (report.facts.processor_ns != 0) {
      out += ", processor time " + duration_text(report.facts.processor_ns);
      if (report.facts.system_ns != 0) out += " (" + duration_text(report.facts.system_ns) + " in the kernel)";
    }
    out += "\n";
  }
  if (report.processes.size() > 1) out += "processes    " + format_count(report.processes.size()) + "\n";
  out +=
      "threads      " + std::to_string(report.threads) +
      (account.helpers != 0 ? ", of them " + format_count(account.helpers) + " libomp's own for target nowait" : "") +
      (report.streams != 0 ? ", device streams " + std::to_string(report.streams) : std::string{}) + "\n";
  out += runtimes_text(report.facts);
  out += events_text(report);
  if (!report.tool.empty()) {
    std::string costs;
    for (const char* part : {"start", "drain", "wait", "convert"})
      if (const auto it = report.tool.find(part); it != report.tool.end())
        costs += (costs.empty() ? "" : ", ") + std::string{part} + " " + duration_text(it->second);
    out += "tracing took " + costs + "\n";
  }
  if (report.tasks.critical_path != 0) {
    out += "parallelism  " +
           number(static_cast<double>(report.tasks.work) / static_cast<double>(report.tasks.critical_path)) +
           " (busy " + duration_text(report.tasks.work) + ", longest path " +
           duration_text(report.tasks.critical_path) + ")\n";
  }
}

/// A bar of twenty characters.
std::string bar(std::uint64_t part, std::uint64_t whole) {
  const auto filled = whole == 0 ? 0 : (part * 20 + whole / 2) / whole;
  return std::string(filled, '#') + std::string(20 - std::min<std::uint64_t>(20, filled), '.');
}

Table account(const Report& report) {
  const Account& account = report.account;
  const std::string ended =
      account.ended == 0 ? "" : " (" + std::to_string(account.ended) + " of them ended before their process)";
  Table table{"Where the time of " + format_counted(account.threads, "thread") + ended + " went, " +
                  (account.is_confined     ? "in these phases"
                   : !report.part.empty()  ? "in this part of the trace"
                   : account.whole_process ? "from the process' start to its end"
                                           : "from the first event to the last"),
              {"place", ">seconds", ">share", ""}};
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < places; ++p)
    if (account.ns[p] != 0) order.push_back(p);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return account.ns[a] > account.ns[b]; });
  for (const std::size_t p : order)
    table.add({text_of(static_cast<Place>(p)), number(static_cast<double>(account.ns[p]) * 1e-9, 6),
               percent_text(account.ns[p], account.total), bar(account.ns[p], account.total)});
  table.add({"sum", number(static_cast<double>(account.total) * 1e-9, 6), "", ""});
  return table;
}

void verdict(const Report& report, const TextOptions& options, std::string& out) {
  const Verdict& verdict = report.verdict;
  out += heading("Verdict", options.colour);
  out += wrapped(verdict.summary, 2, options.width);
  for (const Note& note : verdict.notes) out += wrapped("* " + note.text, 2, options.width);
  std::size_t rank = 0;
  for (const Finding& finding : verdict.findings) {
    out += wrapped(std::to_string(++rank) + ". " + duration_text(finding.win) + " (" +
                       percent_text(finding.win, report.account.wall()) +
                       (report.account.is_confined ? " of the phases): " : " of the run): ") + finding.text,
                   2, options.width);
    std::string more = "Try: " + finding.advice + " Sureness: " + finding.sure + ".";
    if (finding.at != 0) more += " See it at " + moment_text(finding.at, report.wall) + ".";
    out += wrapped(more, 5, options.width);
  }
}

Table constructs(const Report& report) {
  Table table{"Constructs, by time spent in themselves",
              {"construct", ">count", ">total", ">self", ">mean", ">longest", ">max/mean"}};
  for (const RegionRow& row : report.regions) {
    table.add({row.name, format_count(row.count), duration_text(row.total), duration_text(row.exclusive),
               duration_text(mean(row.total, row.count)), duration_text(row.longest),
               row.balance.threads > 1 ? number(row.balance.max_over_mean()) : "-"});
  }
  return table;
}

const char* title_of(Activity activity) {
  constexpr const char* titles[] = {"work", "barrier", "taskwait", "locks", "runtime", "device", "MPI", "idle"};
  static_assert(sizeof titles / sizeof titles[0] == static_cast<std::size_t>(Activity::count_));
  return titles[static_cast<std::size_t>(activity)];
}

/// A row of a name alone.
std::vector<std::string> with_name(const std::string& name, std::size_t columns) {
  std::vector<std::string> cells(columns);
  cells[0] = name;
  return cells;
}

Table threads(const Report& report) {
  std::vector<Table::Column> columns{"name"};
  std::vector<Activity> activities;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Activity::count_); ++i) {
    const auto activity = static_cast<Activity>(i);
    const bool any = std::any_of(report.thread_rows.begin(), report.thread_rows.end(),
                                 [&](const ThreadRow& row) { return row.ns[i] != 0; });
    if (activity == Activity::mpi && !any) continue;
    activities.push_back(activity);
    columns.push_back({title_of(activity), true});
  }
  columns.emplace_back(">tasks");
  const bool any_ended = report.account.ended != 0;
  if (any_ended) columns.emplace_back(">ended at");
  Table table{"Threads and streams", columns};
  const auto add = [&](const ThreadRow& row, const char* before) {
    std::vector<std::string> cells{before + row.name};
    for (const Activity activity : activities)
      cells.push_back(
          at(row.ns, activity) == 0
              ? "-"
              : percent_text(at(row.ns, activity), report.account.is_confined ? report.account.wall() : report.wall));
    cells.push_back(format_count(row.tasks));
    if (any_ended) cells.push_back(row.ended == 0 ? "-" : duration_text(row.ended - std::min(row.ended, report.begin)));
    table.add(std::move(cells));
  };
  if (report.processes.size() < 2) {
    for (const ThreadRow& row : report.thread_rows) add(row, "");
    return table;
  }
  std::map<LocationRef, const ThreadRow*> rows;
  for (const ThreadRow& row : report.thread_rows) rows[row.location] = &row;
  for (const ProcessRow& process : report.processes) {
    table.add(with_name(process.name, columns.size()));
    for (const auto* list : {&process.threads, &process.streams})
      for (const LocationRef location : *list)
        if (const auto found = rows.find(location); found != rows.end()) {
          add(*found->second, "  ");
          rows.erase(found);
        }
  }
  for (const auto& [location, row] : rows) add(*row, "");  // of devices that nobody made
  return table;
}

Table parallels(const Report& report) {
  Table table{"Parallel regions",
              {"region", ">count", ">wall", ">threads", ">work", ">barrier", ">imbalance", "slowest"}};
  for (const ParallelRow& row : report.parallels) {
    std::uint64_t all = 0;
    for (const std::uint64_t ns : row.ns) all += ns;
    table.add({row.name, format_count(row.count), duration_text(row.wall), std::to_string(row.threads),
               percent_text(at(row.ns, Activity::work), all), percent_text(at(row.ns, Activity::barrier), all),
               percent_text(row.balance.lost, row.wall), row.balance.slowest});
  }
  return table;
}

/// Of a large job only the rows that are shown are made.
Table waiting(const Report& report, const TextOptions& options) {
  Table table{"Barrier waiting per region and thread", {"region", "thread", ">waits", ">works"}};
  std::map<LocationRef, std::string> names;
  for (const ProcessRow& process : report.processes)
    for (const LocationRef thread : process.threads)
      names[thread] = report.processes.size() > 1 ? process.name + ": " : std::string{};
  for (const ThreadRow& row : report.thread_rows) names[row.location] += row.name;
  for (const ParallelRow& row : report.parallels) {
    for (const MemberRow& member : row.members) {
      if (!table.has_room(options)) {
        table.count_hidden();
        continue;
      }
      table.add({row.name, names[member.location], duration_text(at(member.ns, Activity::barrier)),
                 duration_text(at(member.ns, Activity::work))});
    }
  }
  return table;
}

void tasks(const Report& report, const TextOptions& options, std::string& out) {
  const TaskReport& tasks = report.tasks;
  if (tasks.created == 0) return;
  out += heading("Tasks", options.colour);
  out += "  " + format_count(tasks.created) + " created, mean " + duration_text(mean(tasks.own, tasks.completed)) +
         ", shortest " + duration_text(tasks.shortest) + ", longest " + duration_text(tasks.longest) + "\n";
  if (tasks.discarded != 0) out += "  " + format_count(tasks.discarded) + " discarded by a cancellation\n";
  out += "  start " + duration_text(mean(tasks.delay, tasks.completed)) + " after their creation; " +
         percent_text(tasks.moved, tasks.completed) + " run by another thread than their parent; " +
         format_count(tasks.dependences) + " dependences\n";
  out += "  waiting in taskwait and taskgroup " + duration_text(tasks.wait) + "\n";
  if (tasks.graph.path != 0) {
    out += "  longest path " + duration_text(tasks.graph.path) + " with " + format_count(tasks.graph.tasks) +
           " tasks on it, creation included; parallelism " +
           number(static_cast<double>(tasks.graph.work) / static_cast<double>(tasks.graph.path)) + "\n";
  }
  if (tasks.chain_tasks > 1) {
    out += "  longest chain of dependences " + format_count(tasks.chain_tasks) + " tasks, " +
           duration_text(tasks.chain) + "\n";
  }
  std::vector<Table::Column> columns{"task", ">count", ">total", ">mean", ">longest"};
  if (tasks.discarded != 0) columns.emplace_back(">discarded");
  Table table{"", columns};
  for (const TaskRow& row : tasks.regions) {
    std::vector<std::string> cells{row.name, format_count(row.count), duration_text(row.total),
                                   duration_text(mean(row.total, row.count)), duration_text(row.longest)};
    if (tasks.discarded != 0) cells.push_back(format_count(row.discarded));
    table.add(std::move(cells));
  }
  out += table.text(options);
}

Table locks(const Report& report) {
  Table table{"Locks", {"lock", ">acquired", ">contended", ">waited", ">longest", ">held"}};
  const auto add = [&](std::string name, const LockTotals& row) {
    table.add({std::move(name), format_count(row.acquisitions), percent_text(row.contended, row.acquisitions),
               duration_text(row.wait), duration_text(row.longest_wait), duration_text(row.held)});
  };
  const ProcessesByGroup processes{report.processes};
  for (const LockRow& row : report.locks) {
    std::string name = row.name + " #" + std::to_string(row.lock);
    if (report.processes.size() > 1) name += ", " + processes.name_or(row.process, "process unknown");
    add(std::move(name), row);
  }
  if (report.other_locks != 0) add(format_count(report.other_locks) + " other locks", report.of_other_locks);
  return table;
}

}  // namespace

std::string to_text(const Report& report, const TextOptions& options) {
  std::string out;
  summary(report, out);
  out += account(report).text(options);
  verdict(report, options, out);
  out += constructs(report).text(options);
  out += phase_table(report).text(options);
  out += processes_text(report, options);
  out += mpi_text(report, options);
  out += io_text(report, options);
  out += threads(report).text(options);
  out += parallels(report).text(options);
  out += waiting(report, options).text(options);
  tasks(report, options, out);
  out += locks(report).text(options);
  out += devices_text(report, options);
  out += samples_text(report.samples, options);
  if (report.samples.empty() && report.creator.find("Tracer") != std::string::npos)
    out += wrapped(
        "Which functions take the time, and whether threads ran while they waited: record with tracer run "
        "--sample.",
        2, options.width);
  return out;
}

}  // namespace tracer::report
