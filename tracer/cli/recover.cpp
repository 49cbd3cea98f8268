// SPDX-License-Identifier: BSD-3-Clause
// `tracer recover`: makes the archive of a run that was killed, crashed or could not convert; lists and removes
// leftovers.
#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "formats/raw/leftovers.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/launch/child_process.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/cli/recover.hpp"
#include "tracer/convert/recover.hpp"

namespace tracer::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> directories;
  bool list = false, remove = false, keep_raw = false;
  unsigned threads = 0;
};

std::vector<raw::Leftover> all_leftovers() {
  std::vector<raw::Leftover> all;
  for (const auto& root : spool_roots()) {
    for (auto& leftover : raw::find_leftovers(root)) all.push_back(std::move(leftover));
  }
  return all;
}

bool has_raw_trace(const raw::Leftover& leftover) {
  std::error_code error;
  return !leftover.archive.empty() && fs::exists(leftover.archive / "raw" / "journal", error);
}

std::string what_to_do(const raw::Leftover& leftover) {
  if (leftover.alive) return "in use by process " + std::to_string(leftover.process_id);
  if (has_raw_trace(leftover)) return "tracer recover " + shell_word(leftover.archive.string());
  return "no raw trace in " + leftover.archive.string() +
         " (if it was moved: tracer recover there): tracer recover --remove " + shell_word(leftover.spool.string());
}

bool is_of(const raw::Leftover& leftover, const std::string& directory) {
  std::error_code error;
  return fs::equivalent(directory, leftover.archive, error) || fs::equivalent(directory, leftover.spool, error);
}

bool is_meant(const raw::Leftover& leftover, const std::vector<std::string>& directories) {
  return directories.empty() || std::any_of(directories.begin(), directories.end(),
                                            [&](const std::string& directory) { return is_of(leftover, directory); });
}

int list(const std::vector<std::string>& directories) {
  auto leftovers = all_leftovers();
  std::erase_if(leftovers, [&](const raw::Leftover& leftover) { return !is_meant(leftover, directories); });
  for (const auto& leftover : leftovers) {
    print_formatted("%s  %s  %s\n", leftover.spool.c_str(), format_bytes(leftover.bytes).c_str(),
                    what_to_do(leftover).c_str());
  }
  if (leftovers.empty()) print_formatted("no leftovers\n");
  return ok;
}

/// All that are named go, or the status says that not all do.
int remove(const std::vector<std::string>& directories) {
  const auto leftovers = all_leftovers();
  int failures = 0;
  for (const std::string& directory : directories) {
    if (std::any_of(leftovers.begin(), leftovers.end(), [&](const auto& one) { return is_of(one, directory); }))
      continue;
    ++failures;
    print_error(directory + " has no rings in shared memory; to see what there is: tracer recover --list");
  }
  for (const auto& leftover : leftovers) {
    if (!is_meant(leftover, directories)) continue;
    if (leftover.alive) {
      if (directories.empty()) continue;
      ++failures;
      print_error(leftover.spool.string() + " is " + what_to_do(leftover) + ": left");
      continue;
    }
    const bool done = raw::remove_spool(leftover.spool);
    failures += !done;
    print_formatted("%s %s\n", done ? "removed" : "cannot remove", leftover.spool.c_str());
  }
  return failures == 0 ? ok : failure;
}

}  // namespace

std::string describe(const RecoverResult& result) {
  const auto& found = result.found;
  std::string line = format_counted(result.archive.events, "event") + ", " +
                     format_counted(result.archive.threads, "thread") + ": " + result.archive.archive.string() + " (" +
                     format_counted(found.records, "record") + " from disk, " + format_count(found.ring_records) +
                     " from the rings";
  if (found.missing_records > 0) line += ", " + format_count(found.missing_records) + " missing";
  return line + ")";
}

int recover_one(const fs::path& directory, ConvertOptions options) {
  const bool keep_raw = options.keep_raw;
  Progress progress("recovering");
  options.progress = [&](double fraction) { progress.update(fraction); };
  options.waiting = [&] { print_waiting(directory); };
  const RecoverResult result = recover(directory, options);
  if (result.archive.was_complete) {
    print_note(summary_of(result.archive));
    print_rest_of_job(directory);
    return ok;
  }
  print_note("recovered " + describe(result));
  print_rest_of_job(directory);
  if (!result.archive.invalid_filter.empty()) print_note(result.archive.invalid_filter);
  for (const auto& line : result.archive.damage) print_note("not recovered: " + line);
  if (result.archive.raw_kept && !keep_raw) print_note("the raw trace is kept, as not all of it could be read");
  return ok;
}

namespace {

bool is_one_of(const fs::path& archive, const Launch& launch, const std::vector<fs::path>& traces) {
  std::error_code error;
  return std::any_of(traces.begin(), traces.end(), [&](const fs::path& trace) {
    return fs::equivalent(archive, trace.empty() ? launch.at : launch.at / trace, error);
  });
}

void recover_rings(const raw::Leftover& leftover, ConvertOptions options) {
  if (!has_raw_trace(leftover)) {  // converted, or removed by the program
    raw::remove_spool(leftover.spool);
    return;
  }
  const std::string name = leftover.archive.string();
  try {
    options.within_limits = true;
    recover_one(leftover.archive, options);
  } catch (const PutOff& reason) {
    print_note("raw trace left in " + name + ", since " + reason.what() + "; to build the archive: tracer recover " +
               shell_word(name));
  } catch (const NothingRecorded&) {
  } catch (const Error& error) {
    print_error("cannot recover " + name + ": " + error.what());
  }
}

}  // namespace

void print_left_memory(const Launch& launch) {
  constexpr std::uint64_t worth_a_line = 16 << 20;
  std::vector<fs::path> unreported;
  std::uint64_t bytes = 0;
  for (const auto& leftover : all_leftovers()) {
    if (leftover.alive || leftover.launch == launch.mark || raw::is_reported(leftover.spool)) continue;
    unreported.push_back(leftover.spool);
    bytes += leftover.bytes;
  }
  if (bytes < worth_a_line) return;
  print_note("the rings of " + std::to_string(unreported.size()) + " other runs that were killed hold " +
             format_bytes(bytes) + " of memory: tracer recover --list");
  for (const fs::path& spool : unreported) raw::mark_reported(spool);
}

void recover_elsewhere(const Launch& launch, const std::vector<fs::path>& traces, const ConvertOptions& conversion) {
  std::vector<raw::Leftover> own;
  for (auto& leftover : all_leftovers())
    if (!leftover.alive && leftover.launch == launch.mark &&
        !(has_raw_trace(leftover) && is_one_of(leftover.archive, launch, traces)))
      own.push_back(std::move(leftover));
  for (const raw::Leftover& leftover : own) {
    const Outcome outcome = do_apart([&] { return recover_rings(leftover, conversion), ok; });
    if (outcome.signal == 0) continue;
    remove_half_archive(leftover.archive);
    print_note(why_not_done("recovering", outcome) + "; try again by: tracer recover " +
               shell_word(leftover.archive.string()));
  }
}

namespace {

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("DIR", options->directories, "Directories of incomplete traces");
  app.add_flag("-l,--list", options->list,
               "List the rings that dead runs left in shared memory, with a command for each");
  app.add_flag("--remove", options->remove,
               "Remove the leftover rings of dead runs (all, or those of DIR); their events are lost");
  app.add_flag("--keep-raw", options->keep_raw, "Keep the raw trace beside the archive (TRACER_KEEP_RAW)");
  add_threads(app, options->threads, "convert");
  app.footer(
      "A killed run leaves its raw trace in DIR/raw and its rings in shared memory; no recorded event is lost.\n"
      "'tracer run' recovers automatically. `recover` never touches a run that is still active.");
  action = [options] {
    if (options->list && options->remove)
      throw UsageError{"--list shows what --remove would remove: one of both, not both at once"};
    if (options->list) return list(options->directories);
    if (options->remove) return remove(options->directories);
    if (options->directories.empty())
      throw UsageError{"name the directory of the trace, or use --list to see what there is"};
    const ConvertOptions settings = own_conversion();
    int status = ok;
    for (const auto& directory : options->directories) {
      require_directory(directory);
      require_own_place(directory,
                        "make the archive elsewhere: tracer convert " + shell_word(directory) + " --output DIR");
      ConvertOptions conversion = settings;
      conversion.keep_raw = conversion.keep_raw || options->keep_raw;
      if (options->threads != 0) conversion.threads = options->threads;
      status = std::max(status, recover_one(directory, conversion));
    }
    return status;
  };
}

}  // namespace

const Command recover_command{"recover", "Build the archive of a run that was killed or crashed", add};

}  // namespace tracer::cli
