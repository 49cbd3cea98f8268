// SPDX-License-Identifier: BSD-3-Clause
// `tracer snapshot`: what a running or dead OpenMP process is doing.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "tracer/base/clock.hpp"
#include "tracer/cli/live/ompd_archive.hpp"
#include "tracer/cli/live/plugin_options.hpp"
#include "tracer/cli/live/snapshot_text.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/ompd/guard.hpp"
#include "tracer/ompd/record_builder.hpp"
#include "tracer/ompd/runtime.hpp"
#include "tracer/ompd/snapshot.hpp"
#include "tracer/ompd/target/core_target.hpp"
#include "tracer/ompd/target/live_target.hpp"
#include "tracer/ompd/target/refusal.hpp"
#include "tracer/ompd/waits.hpp"
#include "tracer/property_names.hpp"

namespace tracer::cli {
namespace {

struct Options {
  std::string what, archive;
  ompd::PluginChoice plugin;
  bool json = false, no_stacks = false, anyway = false;
  SnapshotDetail detail = SnapshotDetail::normal;
  unsigned timeout = 60;
};

bool is_process_id(const std::string& text) {
  return !text.empty() && text.size() < 11 && text.find_first_not_of("0123456789") == std::string::npos;
}

/// A snapshot, and where code lies: for the archive.
struct Look {
  ompd::Snapshot snapshot;
  std::vector<Module> modules;
};

/// OMPD, or with --anyway the call stacks alone where the runtime does not have it.
Look ask(ompd::Target& target, const Options& options, const ompd::CallStacks* stacks) {
  try {
    const ompd::RuntimeAccess session{target, options.plugin};
    return {ompd::collect(session, stacks), ompd::modules_of(session.modules(), target)};
  } catch (const ompd::CannotLook& error) {
    using ompd::Refusal;
    const bool for_want_of_ompd = error.why() == Refusal::stripped_runtime || error.why() == Refusal::no_plugin ||
                                  error.why() == Refusal::no_openmp || error.why() == Refusal::not_initialized;
    if (!options.anyway || !for_want_of_ompd || stacks == nullptr) throw;
    Look look{ompd::collect_stacks(target, *stacks), ompd::modules_of(ompd::Modules{target}, target)};
    look.snapshot.notes.push_back(std::string{"call stacks only: "} + error.what());
    return look;
  }
}

Look look_at_process(const Options& options) {
  using Clock = std::chrono::steady_clock;
  std::string why;
  std::unique_ptr<ompd::CallStacks> stacks;
  Look look;
  ompd::Snapshot& snapshot = look.snapshot;
  const auto begin = Clock::now();
  {
    ompd::LiveTarget target{std::strtoull(options.what.c_str(), nullptr, 10)};
    if (!options.no_stacks) stacks = ompd::CallStacks::of_process(target.process_id(), why);
    look = ask(target, options, stacks.get());
  }
  const auto stopped = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  snapshot.stopped_microseconds = static_cast<std::uint64_t>(stopped.count());
  if (!options.no_stacks && stacks == nullptr) snapshot.notes.push_back("no call stacks: " + why);
  ompd::resolve(snapshot, stacks.get());
  return look;
}

Look look_at_core(const Options& options) {
  ompd::CoreTarget target{options.what};
  std::string why;
  std::unique_ptr<ompd::CallStacks> stacks;
  if (!options.no_stacks) stacks = ompd::CallStacks::of_core(options.what, target.executable(), why);
  Look look = ask(target, options, stacks.get());
  ompd::Snapshot& snapshot = look.snapshot;
  snapshot.core = options.what;
  snapshot.signal = target.signal();
  if (target.truncated()) snapshot.notes.push_back("the core file is truncated: what is missing in it is missing here");
  if (!options.no_stacks && stacks == nullptr) snapshot.notes.push_back("no call stacks: " + why);
  ompd::resolve(snapshot, stacks.get());
  return look;
}

/// Of a core file its process has ended.
std::map<std::string, std::string> facts_of_snapshot(const ompd::Snapshot& snapshot) {
  const std::string ended = properties::run_fact(properties::run_ended);
  if (snapshot.core.empty()) return {{ended, "running"}};
  if (snapshot.signal == 0) return {{ended, "unknown"}};
  return {{ended, "signal"}, {properties::run_fact(properties::run_signal), std::to_string(snapshot.signal)}};
}

/// One microsecond in which every thread is where it was seen.
void write_archive(const Look& look, const std::string& directory) {
  const std::uint64_t now = read_monotonic();
  ompd::RecordBuilder records{look.snapshot, look.modules, now};
  records.enter_open(look.snapshot, true, now);
  records.finish(now + 1000);
  write_ompd_archive(records, directory, "snapshot", facts_of_snapshot(look.snapshot));
}

int look(const Options& options) {
  unsetenv("DEBUGINFOD_URLS");  // libdw would query a server while the program is stopped
  Look look = is_process_id(options.what) ? look_at_process(options) : look_at_core(options);
  ompd::Snapshot& snapshot = look.snapshot;
  snapshot.findings = ompd::find_waits(snapshot);
  if (!snapshot.tracks_states && !snapshot.only_stacks) {
    snapshot.notes.push_back(
        "OMP_DEBUG is not enabled in the program: states, wait ids, frames and task functions are missing. "
        "Start it with OMP_DEBUG=enabled to have them");
  }
  if (options.json)
    print_json(snapshot);
  else
    print_text(snapshot, options.detail);
  if (!options.archive.empty()) write_archive(look, options.archive);
  for (const std::string& note : snapshot.notes) print_note(note);
  return snapshot.tracks_states ? static_cast<int>(ok) : snapshot_incomplete;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  app.add_option("process", options->what, "Process id, or a core file")->required()->type_name("PID|CORE");
  app.add_flag("--json", options->json, "As JSON");
  app.add_flag("--no-stacks", options->no_stacks, "No call stacks: stops the process for a shorter time");
  app.add_flag("--anyway", options->anyway, "If OMPD is unavailable, show call stacks only (status 3)");
  app.add_flag_callback(
      "-v,--verbose", [options] { options->detail = SnapshotDetail::all; }, "All frames and control variables");
  app.add_option("--otf2", options->archive, "Also write an archive of this instant into this directory")
      ->type_name("DIR");
  add_plugin_options(app, options->plugin);
  app.add_option("--timeout", options->timeout, "Time limit in seconds (default 60; 0: none)")->type_name("S");
  app.footer(
      "Status 3: complete but for states (OMP_DEBUG not enabled). 10-19: the process cannot be inspected:\n"
      "10 no such process or file, 11 no permission, 12 other architecture,\n"
      "13 no OpenMP, 14 OpenMP not started yet, 15 stripped libomp, 16 no libompd, 17 damaged core,\n"
      "18 took too long, 19 the plugin crashed.");
  action = [options] {
    try {
      return ompd::guarded(std::chrono::seconds{options->timeout}, SIGKILL, [&] { return look(*options); });
    } catch (const ompd::CannotLook& error) {
      print_note(error.what());
      return static_cast<int>(error.why());
    }
  };
}

}  // namespace

const Command snapshot_command{"snapshot", "Show what a running or dead OpenMP process is doing", add};

}  // namespace tracer::cli
