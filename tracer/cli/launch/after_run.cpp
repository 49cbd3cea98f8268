// SPDX-License-Identifier: BSD-3-Clause
// See after_run.hpp. What may take much memory or time is done in processes of their own (child_process.hpp).
#include "tracer/cli/launch/after_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "formats/raw/claim.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/leftovers.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/archives/tables.hpp"
#include "tracer/cli/launch/child_process.hpp"
#include "tracer/cli/launch/other_tools.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/launch/run_traces.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/cli/recover.hpp"
#include "tracer/cli/report.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/convert/side_by_side.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/merge/job_place.hpp"
#include "tracer/merge/merge.hpp"
#include "tracer/python_choice.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// Whether a process still records it: the trace is read only where no lock tells.
bool is_still_recorded(const fs::path& trace) {
  return !raw::is_unlocked(trace / "raw") && is_being_recorded(trace);
}

/// Waits until nothing of the launch is recorded any more, or it is `until`. That may be days: the looks become seldom.
void await_ends(const Launch& launch, Clock::time_point until) {
  constexpr Clock::duration first_pause = std::chrono::milliseconds{20}, longest_pause = std::chrono::seconds{1};
  const auto goes_on = [&](const fs::path& trace) { return is_still_recorded(path_of(launch.at, trace)); };
  for (Clock::duration pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
    const auto traces = traces_of(launch);
    const Clock::time_point now = Clock::now();
    if (std::none_of(traces.begin(), traces.end(), goes_on) || now >= until) return;
    std::this_thread::sleep_for(std::min(pause, until - now));
  }
}

/// Ranks that a launcher has ended, or that it leaves behind as MPI aborts, are gone a moment after it; what has gone
/// wrong in a script's job, and the child of a timeout(1), may be such. A daemon is not waited for, nor a child that
/// outlives its parent.
std::chrono::seconds patience_with(bool launches_ranks, const Ended& ended) {
  if (launches_ranks) return std::chrono::seconds{10};
  return std::chrono::seconds{ended.exit_status != 0 ? 2 : 0};
}

/// The message only contains its size.
bool is_whole(const ConvertResult& result) {
  return result.ended && result.lost == 0 && result.damage.empty() && result.invalid_filter.empty() &&
         std::all_of(result.repairs.begin(), result.repairs.end(), [](const auto& kind) { return kind.second == 0; });
}

/// The begin and the end of the program.
constexpr std::uint64_t events_of_nothing = 2;

/// How far archives were made; also the status of the process that makes them.
enum Made : int { all = ok, not_all = failure, put_off = 3 };

void print_raw_trace(const fs::path& directory, const std::string& why) {
  print_note("raw trace left in " + directory.string() + why + "; to build the archive: tracer convert " +
             shell_word(directory.string()));
}

/// nullopt: the trace has no journal that can be read, or none any more.
std::optional<RecordedProgram> program_of(const fs::path& trace) {
  try {
    return recorded_program(raw::read_journal(trace / "raw" / "journal"));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// A conversion beside others: what it made, or that there was nothing; else it is still to be done.
struct Beside {
  std::optional<ConvertResult> made;
  std::exception_ptr nothing_recorded;
};

/// A run whose program has ended.
class RunEnd {
 public:
  RunEnd(const RunOptions& options, Launch& launch) : options_{options}, launch_{launch} {}

  void look_after(const Ended& ended, const RunProgram& program);
  /// This run is the job's last. `own`: traces of this launch.
  void finish_job(std::size_t own, Made made);

 private:
  ConvertOptions with_facts(ConvertOptions conversion, const fs::path& at) const;
  std::vector<Beside> convert_beside(const std::vector<OwnTrace>& traces) const;
  Made make_archive(const OwnTrace& trace, bool is_part, Beside beside) const;
  Made make_archives(const std::vector<OwnTrace>& traces, bool is_part) const;
  Made make_archives_apart(const std::vector<OwnTrace>& traces, bool is_part);
  bool make_one(std::size_t own, std::size_t parts) const;
  bool join_job(std::size_t own, Made made) const;
  void report_not_joined(const std::string& why) const;
  void show() const;

  const RunOptions& options_;
  Launch& launch_;
  SeenProcesses seen_;                     ///< of its processes
  std::vector<RecordedProgram> programs_;  ///< whose archives are made, or were
};

ConvertOptions RunEnd::with_facts(ConvertOptions conversion, const fs::path& at) const {
  if (const auto program = program_of(at)) conversion.facts = facts_of_life(*program, programs_, seen_);
  return conversion;
}

/// Without a word: make_archive() reports each, and does what is left.
std::vector<Beside> RunEnd::convert_beside(const std::vector<OwnTrace>& traces) const {
  std::vector<Beside> all(traces.size());
  std::vector<fs::path> places;
  for (const OwnTrace& trace : traces) places.push_back(trace.at);
  ConvertOptions conversion = conversion_of_run(options_.settings);
  conversion.progress = conversion_bar();
  convert_side_by_side(places, conversion, [&](std::size_t i, const ConvertOptions& share) {
    const fs::path& at = places[i];
    if (is_unbegun(at / "raw") || is_still_recorded(at)) return;
    try {
      all[i].made = convert_or_recover(at, at, with_facts(share, at));
    } catch (const NothingRecorded&) {
      all[i].nothing_recorded = std::current_exception();
    }
  });
  return all;
}

/// One archive, in `at`, named `directory` in messages.
Made RunEnd::make_archive(const OwnTrace& trace, bool is_part, Beside beside) const {
  const auto& [directory, at] = trace;
  try {
    if (beside.nothing_recorded) std::rethrow_exception(beside.nothing_recorded);
    if (!beside.made && is_unbegun(at / "raw")) {
      raw::remove_raw_trace(at / "raw");
      throw NothingRecorded(at);
    }
    ConvertOptions conversion = conversion_of_run(options_.settings);
    conversion.within_limits = true;
    ConvertResult result =
        beside.made ? std::move(*beside.made) : convert_with_progress(at, at, with_facts(std::move(conversion), at));
    result.archive = directory / "traces.otf2";
    if (!options_.quiet && !(is_part && is_whole(result))) print_note(summary_of(result));
    if (!options_.quiet && !is_part && names_python_modules(options_.python) && result.events <= events_of_nothing)
      print_note("no function of the modules that --python=" + options_.python + " names was called.");
    return Made::all;
  } catch (const PutOff& reason) {
    print_raw_trace(directory, std::string{", since "} + reason.what());
    return Made::put_off;
  } catch (const NothingRecorded& reason) {  // a child that ended at once, most often
    ::rmdir(at.c_str());
    if (!options_.quiet && !is_part) print_note(with_path(reason.what(), at, directory));
    return Made::all;
  } catch (const std::exception& error) {
    print_error(with_path(error.what(), at, directory));
    if (is_there(at / "raw" / "trace")) print_raw_trace(directory, " is kept");
    return Made::not_all;
  }
}

/// Archives of what the program and its children left.
Made RunEnd::make_archives(const std::vector<OwnTrace>& traces, bool is_part) const {
  Made made = Made::all;
  std::vector<Beside> beside(traces.size());
  if (!options_.raw) beside = convert_beside(traces);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto& [directory, at] = traces[i];
    if (options_.raw) {
      if (!options_.quiet) print_raw_trace(directory, "");
    } else if (is_still_recorded(at)) {  // a daemon, or a child that outlives its parent
      print_note(directory.string() + " is still being recorded; after that process has ended: tracer recover " +
                 shell_word(directory.string()));
    } else {
      made = std::max(made, make_archive(traces[i], is_part, std::move(beside[i])));
    }
  }
  return made;
}

/// The process that made archives was ended: what it left half is removed, the raw traces are there.
void print_killed(const std::vector<OwnTrace>& traces, const Outcome& outcome) {
  for (const auto& [directory, at] : traces) {
    if (!is_there(at / "raw" / "trace")) continue;
    remove_half_archive(at);
    print_raw_trace(directory, ", since " + why_not_done("converting", outcome));
  }
}

/// In a process of its own.
Made RunEnd::make_archives_apart(const std::vector<OwnTrace>& traces, bool is_part) {
  if (traces.empty()) return Made::all;
  for (const OwnTrace& trace : traces)
    if (auto program = program_of(trace.at)) programs_.push_back(std::move(*program));
  const Outcome converted = do_apart([&]() -> int { return make_archives(traces, is_part); });
  if (converted.signal == 0) return static_cast<Made>(converted.status);
  print_killed(traces, converted);
  return Made::put_off;
}

void RunEnd::report_not_joined(const std::string& why) const {
  print_note(why_not_merged(launch_.place, why));
}

/// One archive of all parts of the job, this one being its last. False: something could not be joined.
bool RunEnd::make_one(std::size_t own, std::size_t parts) const {
  try {
    MergeOptions merging;
    merging.conversion = conversion_of_run(options_.settings);
    merging.conversion.within_limits = true;
    merging.conversion.waiting = [&] { print_waiting(launch_.place); };
    merging.job = launch_.place;
    const MergeResult result = merge_job(launch_.at, merging);
    print_merged(result, options_.quiet || (own == 1 && parts == 1 && !launch_.shared));
    return result.left_out.empty();
  } catch (const PlaceTaken& taken) {
    report_not_joined(", since " + with_path(taken.what(), launch_.at, launch_.place));
    return false;
  } catch (const std::exception& error) {
    print_error(with_path(error.what(), launch_.at, launch_.place));
    return false;
  }
}

void print_report(const fs::path& archive) {
  try {
    show_report(archive, {}, true);
  } catch (const std::exception& error) {
    throw Error{std::string{"the report is not printed: "} + error.what()};
  }
}

bool RunEnd::join_job(std::size_t own, Made made) const {
  const auto parts = traces_below(launch_.at);
  if (parts.empty() || (parts.size() == 1 && parts.front() == launch_.at)) return made == Made::all;
  if (made == Made::put_off && !launch_.shared) {
    report_not_joined("");
    return false;
  }
  const Outcome outcome = do_apart([&]() -> int { return make_one(own, parts.size()) ? ok : failure; });
  if (outcome.signal != 0) {
    finish_earlier(launch_.at);
    report_not_joined(", since " + why_not_done("joining", outcome));
  }
  return made == Made::all && outcome.status == ok;
}

void RunEnd::show() const {
  const fs::path archive = launch_.at / "traces.otf2";
  const fs::path& directory = launch_.place;
  std::error_code error;
  if (options_.separate && wants_results(options_)) {
    const std::vector<fs::path> parts = parts_of_job(launch_.at);
    if (const auto one = std::find_if(parts.begin(), parts.end(), has_archive); one != parts.end())
      return print_note(
          "--report, --html and --format are for one archive, and --separate keeps one for each process: tracer "
          "report " +
          shell_word((directory / "parts" / one->filename()).string()));
  }
  if (!fs::exists(archive, error)) return;
  if (options_.format == "parquet") {
    const std::string written = write_tables_beside(archive);
    if (!options_.quiet) print_note(written);
  }
  if (!options_.html.empty()) show_report(archive, options_.html, false);
  if (options_.report) print_report(archive);
  if (!options_.report && options_.html.empty() && !options_.quiet) {
    const std::string full = directory.string();
    const std::string near = directory.lexically_proximate(fs::current_path(error)).string();
    print_note("to analyse it: tracer report " + shell_word(!error && near.size() < full.size() ? near : full));
  }
}

void RunEnd::finish_job(std::size_t own, Made made) {
  bool good = made == Made::all;
  if (!options_.raw && !options_.separate) good = join_job(own, made);
  launch_.job->clean_up(launch_.keeps_open);
  if (options_.raw || !good) return;
  const Outcome shown = do_apart([&] { return show(), ok; });
  if (shown.signal != 0) print_error(why_not_done("the report", shown));
}

void RunEnd::look_after(const Ended& ended, const RunProgram& program) {
  if (ended.start_error != 0) {
    print_error(why_not_started(program.path, ended.start_error) + ".");
  } else if (ended.signal != 0) {
    print_note(std::string{"the program was killed by signal "} + std::to_string(ended.signal) + " (" +
               strsignal(ended.signal) + ").");
  }
  await_ends(launch_, Clock::now() + patience_with(program.launches_ranks, ended));
  auto traces = traces_of(launch_);
  seen_ = program.seen;
  seen_.ends.push_back({static_cast<std::uint64_t>(ended.process), ended.monotonic_ns,
                        ended.signal != 0 ? 0 : ended.exit_status, ended.signal});
  // The job's line covers all.
  const auto is_part = [&] { return !options_.separate && (launch_.shared || traces.size() > 1); };
  Made made = make_archives_apart(own_traces(launch_, traces), is_part());
  // Of runs below this one. It looks at each part of the job: only where this run has no trace of its own.
  const bool has_parts = traces.empty() && !launch_.place.empty() && !traces_below(launch_.at).empty();
  const auto find_notes = [&] {
    return launch_.place.empty() ? std::vector<LaunchNote>{} : notes_of(launch_.at, launch_.mark);
  };
  std::vector<LaunchNote> notes = find_notes();
  const bool is_last = !launch_.job || launch_.job->end(launch_.processes);
  // Where it is not, the last run may have removed all notes by now.
  if (std::vector<LaunchNote> all = find_notes(); all.size() > notes.size()) notes = std::move(all);
  // Of processes that have begun meanwhile. Where this run is not the job's last, that one joins them.
  const std::vector<fs::path> late = more_traces(launch_, traces);
  traces.insert(traces.end(), late.begin(), late.end());
  if (is_last || options_.raw || options_.separate)
    made = std::max(made, make_archives_apart(own_traces(launch_, late), is_part()));
  const bool has_ended_in_tool = !options_.quiet && print_tools(notes);
  const std::vector<OwnTrace> elsewhere = traces_elsewhere(notes);
  made = std::max(made, make_archives_apart(elsewhere, false));
  recover_elsewhere(launch_, traces, conversion_of_run(options_.settings));
  if (traces.empty() && elsewhere.empty() && !has_parts && !options_.quiet && ended.start_error == 0 &&
      launch_.why_none.empty() && !program.is_reason_known && !has_ended_in_tool)
    print_none_was_made(ended, program.preload, notes);
  if (is_last && !options_.quiet) print_left_memory(launch_);
  if (launch_.job && is_last) finish_job(traces.size(), made);
  if (launch_.nested && wants_results(options_) && find_launcher().rank <= 0)
    print_note("--report, --html and --format are for the outer tracer run, which makes the one archive.");
}

}  // namespace

void look_after_run(const RunOptions& options, Launch& launch, const Ended& ended, const RunProgram& program) noexcept
    try {
  RunEnd{options, launch}.look_after(ended, program);
} catch (const std::exception& error) {
  try {
    print_error(error.what());
  } catch (...) {  // no memory for a message
  }
} catch (...) {
}

void finish_killed(const RunOptions& options, Launch& launch) {
  await_ends(launch, Clock::time_point::max());
  if (launch.job->end(launch.processes)) RunEnd{options, launch}.finish_job(0, Made::all);
}

}  // namespace tracer::cli
