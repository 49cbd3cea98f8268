// SPDX-License-Identifier: BSD-3-Clause
// `tracer recover`: makes the archive of a run that was killed, crashed or could not convert; lists and removes
// leftovers.
#include <algorithm>
#include <system_error>

#include <cstdio>
#include <memory>

#include "formats/raw/leftovers.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/command.hpp"
#include "tracer/cli/conversion.hpp"
#include "tracer/cli/recover.hpp"
#include "tracer/cli/terminal.hpp"
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
  if (has_raw_trace(leftover)) return "tracer recover " + leftover.archive.string();
  return "its raw trace is gone (" + printable(leftover.archive.string()) + "): tracer recover --remove";
}

int list() {
  const auto leftovers = all_leftovers();
  for (const auto& leftover : leftovers) {
    std::printf("%s  %s  %s\n", shown(leftover.spool.string()).c_str(), format_bytes(leftover.bytes).c_str(),
                shown(what_to_do(leftover)).c_str());
  }
  if (leftovers.empty()) std::printf("no leftovers\n");
  return ok;
}

bool is_meant(const raw::Leftover& leftover, const std::vector<std::string>& directories) {
  if (directories.empty()) return true;
  for (const auto& directory : directories) {
    std::error_code error;
    if (fs::equivalent(directory, leftover.archive, error) || fs::equivalent(directory, leftover.spool, error))
      return true;
  }
  return false;
}

int remove(const std::vector<std::string>& directories) {
  int failures = 0;
  for (const auto& leftover : all_leftovers()) {
    if (leftover.alive || !is_meant(leftover, directories)) continue;
    const bool done = raw::remove_spool(leftover.spool);
    failures += !done;
    std::printf("%s %s\n", done ? "removed" : "cannot remove", shown(leftover.spool.string()).c_str());
  }
  return failures == 0 ? ok : failure;
}

}  // namespace

std::string describe(const RecoverResult& result) {
  const auto& found = result.found;
  std::string line = format_count(result.archive.events) + " events, " + format_count(result.archive.threads) +
                     " threads: " + result.archive.archive.string() + " (" + format_count(found.records) +
                     " records from disk, " + format_count(found.ring_records) + " from the rings";
  if (found.missing_records > 0) line += ", " + format_count(found.missing_records) + " missing";
  return line + ")";
}

int recover_one(const fs::path& directory, bool keep_raw, unsigned threads) {
  ConvertOptions options;
  options.keep_raw = keep_raw;
  options.threads = threads;
  Progress progress("recovering");
  options.progress = [&](double fraction) { progress.update(fraction); };
  options.waiting = [&] { say_waiting(directory); };
  const RecoverResult result = recover(directory, options);
  if (result.was_complete) {
    print_note(
        result.archive.archive.string() + " is complete already" +
        (result.archive.raw_kept
             ? "; the raw trace beside it can be removed, or converted to another directory: tracer convert --output"
             : ""));
    return ok;
  }
  print_note("recovered " + describe(result));
  say_rest_of_job(directory);
  for (const auto& line : result.archive.damage) print_note("not recovered: " + line);
  if (result.archive.raw_kept && !keep_raw) print_note("the raw trace is kept, as not all of it could be read");
  return ok;
}

void say_left_memory(const LeftMemory& left) {
  constexpr std::uint64_t worth_a_line = 16 << 20;
  if (left.bytes < worth_a_line) return;
  print_note("the rings of " + std::to_string(left.runs) + " other runs that were killed hold " +
             format_bytes(left.bytes) + " of memory: tracer recover --list");
}

LeftMemory recover_launched(const std::string& launch) {
  LeftMemory left;
  for (const auto& leftover : all_leftovers()) {
    if (leftover.alive) continue;
    if (leftover.launch != launch || launch.empty()) {
      left.bytes += leftover.bytes;
      ++left.runs;
      continue;
    }
    if (!has_raw_trace(leftover)) {  // converted, or removed by the program: nobody will ask for these rings
      raw::remove_spool(leftover.spool);
      continue;
    }
    try {
      recover_one(leftover.archive, false, 0);
    } catch (const Error& error) {
      print_error("cannot recover " + leftover.archive.string() + ": " + error.what());
    }
  }
  return left;
}

namespace {

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("DIR", options->directories, "Directories of traces that were not completed");
  app.add_flag("-l,--list", options->list,
               "Show the rings that dead runs left in shared memory, and what to do with them");
  app.add_flag("--remove", options->remove,
               "Remove the leftover rings of dead runs (all, or those of DIR): what they hold is lost");
  app.add_flag("--keep-raw", options->keep_raw, "Keep the raw trace beside the archive");
  app.add_option("-j,--threads", options->threads,
                 "Threads that convert (default: as many as this process may use, at most 8)")
      ->check(in_range(0, 1024));
  app.footer(
      "A run that was killed leaves its raw trace in DIR/raw and its rings in shared memory; nothing that was "
      "recorded\n"
      "is lost. 'tracer run' recovers by itself. Runs that are still going on are never touched.");
  action = [options] {
    if (options->list) return list();
    if (options->remove) return remove(options->directories);
    if (options->directories.empty())
      throw UsageError{"name the directory of the trace, or use --list to see what there is"};
    int status = ok;
    for (const auto& directory : options->directories) {
      require_own_place(directory, "make the archive elsewhere: tracer convert " + directory + " --output DIR");
      status = std::max(status, recover_one(directory, options->keep_raw, options->threads));
    }
    return status;
  };
}

}  // namespace

const Command recover_command{"recover", "Make the archive of a run that was killed or crashed", add};

}  // namespace tracer::cli
