// SPDX-License-Identifier: BSD-3-Clause
// A snapshot as text for people and as JSON for programs.
#include "tracer/cli/live/snapshot_text.hpp"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstring>

#include "tracer/base/formatted.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/ompd/snapshot.hpp"

namespace tracer::cli {
namespace {

using Json = nlohmann::ordered_json;
using ompd::Activity;
using ompd::Position;
using ompd::RegionView;
using ompd::Snapshot;
using ompd::TaskView;
using ompd::ThreadView;

constexpr std::size_t frames_shown = 12;

const char* key_of(Activity activity) {
  static constexpr const char* keys[] = {
      "unknown", "working",  "barrier",   "implicit_barrier", "lock",    "nest_lock", "critical", "ordered",
      "atomic",  "taskwait", "taskgroup", "target",           "runtime", "idle",      "no_openmp"};
  return keys[static_cast<std::size_t>(activity)];
}

std::string hex(std::uint64_t value) {
  return formatted("0x%" PRIx64, value);
}

void print_region(const RegionView& region) {
  if (region.level == 0 && region.team_size == 1) {
    print_formatted("    outermost: the initial task region\n");
    return;
  }
  print_formatted("    region (team %zu): thread %" PRId64 " of %" PRId64 ", level %" PRId64 "%s%s\n", region.team,
                  region.thread_number, region.team_size, region.level, region.function ? " at " : "",
                  region.function ? text_of(*region.function).c_str() : "");
}

void print_task(const TaskView& task, bool all) {
  const char* kind = !task.implicit ? "task" : *task.implicit ? "implicit task" : "explicit task";
  print_formatted("    %s%s of team %zu%s%s", kind, task.final.value_or(false) ? " (final)" : "", task.team,
                  task.function ? " at " : "", task.function ? text_of(*task.function).c_str() : "");
  if (all && task.frames)
    print_formatted(", frames exit %s enter %s", hex(task.frames->first).c_str(), hex(task.frames->second).c_str());
  print_formatted("\n");
}

void print_thread(const ThreadView& thread, bool all) {
  print_formatted("\nLWP %" PRIu64 ": %s%s%s\n", thread.os_thread, words(thread.activity),
                  thread.position ? " at " : "", thread.position ? text_of(*thread.position).c_str() : "");
  if (thread.state) {
    print_formatted("    state: %s (%s)", ompd::state_words(*thread.state).c_str(), thread.state_name.c_str());
    if (thread.wait_id != 0) print_formatted(", wait id %s", hex(thread.wait_id).c_str());
    if (thread.owner >= 0) print_formatted(", held by the runtime's thread %" PRId64, thread.owner);
    print_formatted("\n");
  }
  for (const RegionView& region : thread.regions) print_region(region);
  for (const TaskView& task : thread.tasks) print_task(task, all);
  if (all) {
    for (const auto& icv : thread.icvs) print_formatted("    %s = %s\n", icv.name.c_str(), icv.value.c_str());
  }
  std::size_t shown = 0;
  for (const Position& frame : thread.stack) {
    if (!all && ++shown > frames_shown) {
      print_formatted("      ... %zu more frames (--verbose shows all)\n", thread.stack.size() - frames_shown);
      break;
    }
    print_formatted("      %s\n", text_of(frame).c_str());
  }
}

Json to_json(const Position& position) {
  Json json;
  json["address"] = hex(position.address);
  json["function"] = position.function;
  json["file"] = position.file;
  json["line"] = position.line;
  json["module"] = position.module;
  return json;
}

Json to_json(const std::optional<Position>& position) {
  return position ? to_json(*position) : Json(nullptr);
}

Json to_json(const std::vector<ompd::NamedText>& values) {
  Json json = Json::object();
  for (const auto& value : values) json[value.name] = value.value;
  return json;
}

Json to_json(const RegionView& region) {
  Json json;
  json["team"] = region.team;
  json["team_size"] = region.team_size;
  json["thread_number"] = region.thread_number;
  json["level"] = region.level;
  json["active_level"] = region.active_level;
  json["function"] = to_json(region.function);
  return json;
}

Json to_json(const TaskView& task) {
  Json json;
  json["team"] = task.team;
  json["implicit"] = task.implicit ? Json(*task.implicit) : Json(nullptr);
  json["final"] = task.final ? Json(*task.final) : Json(nullptr);
  json["function"] = to_json(task.function);
  json["exit_frame"] = task.frames ? Json(hex(task.frames->first)) : Json(nullptr);
  json["enter_frame"] = task.frames ? Json(hex(task.frames->second)) : Json(nullptr);
  json["tool_data"] = task.tool_data ? Json(hex(static_cast<std::uint64_t>(*task.tool_data))) : Json(nullptr);
  return json;
}

Json to_json(const ThreadView& thread) {
  Json json;
  json["os_thread"] = thread.os_thread;
  json["number"] = thread.number < 0 ? Json(nullptr) : Json(thread.number);
  json["activity"] = key_of(thread.activity);
  json["position"] = to_json(thread.position);
  json["state"] = thread.state ? Json(*thread.state) : Json(nullptr);
  json["state_name"] = thread.state_name;
  json["wait_id"] = thread.state ? Json(hex(thread.wait_id)) : Json(nullptr);
  json["lock_owner"] = thread.owner < 0 ? Json(nullptr) : Json(thread.owner);
  json["regions"] = Json::array();
  for (const auto& region : thread.regions) json["regions"].push_back(to_json(region));
  json["tasks"] = Json::array();
  for (const auto& task : thread.tasks) json["tasks"].push_back(to_json(task));
  json["icvs"] = to_json(thread.icvs);
  json["stack"] = Json::array();
  for (const auto& frame : thread.stack) json["stack"].push_back(to_json(frame));
  return json;
}

}  // namespace

void print_text(const Snapshot& snapshot, SnapshotDetail detail) {
  const bool all = detail == SnapshotDetail::all;
  if (snapshot.core.empty())
    print_formatted("Process %" PRIu64 ": %s\n", snapshot.process_id, snapshot.program.c_str());
  else
    print_formatted("Core file %s of process %" PRIu64 ": %s\n", snapshot.core.c_str(), snapshot.process_id,
                    snapshot.program.c_str());
  if (snapshot.signal != 0) print_formatted("Ended by signal %d (%s)\n", snapshot.signal, strsignal(snapshot.signal));
  if (!snapshot.only_stacks)
    print_formatted("Runtime %s (OpenMP %s)\nPlugin  %s (%s)\n", snapshot.runtime.c_str(),
                    snapshot.runtime_version.c_str(), snapshot.plugin.c_str(), snapshot.plugin_version.c_str());
  if (snapshot.core.empty())
    print_formatted("Stood still for %.1f ms\n", static_cast<double>(snapshot.stopped_microseconds) / 1000);
  for (const auto& finding : snapshot.findings) print_formatted("\n%s\n", finding.c_str());
  for (const auto& thread : snapshot.threads) print_thread(thread, all);
  if (!all) return;
  print_formatted("\nControl variables of the process\n");
  for (const auto& icv : snapshot.icvs) print_formatted("    %s = %s\n", icv.name.c_str(), icv.value.c_str());
  for (const auto& variable : snapshot.control_variables) print_formatted("    %s\n", variable.c_str());
}

void print_json(const Snapshot& snapshot) {
  Json json;
  json["process"] = snapshot.process_id;
  json["program"] = snapshot.program;
  json["core"] = snapshot.core.empty() ? Json(nullptr) : Json(snapshot.core);
  json["signal"] = snapshot.signal == 0 ? Json(nullptr) : Json(snapshot.signal);
  json["runtime"] = {{"path", snapshot.runtime}, {"openmp", snapshot.runtime_version}};
  json["plugin"] = {{"path", snapshot.plugin}, {"version", snapshot.plugin_version}, {"api", snapshot.api_version}};
  json["states_tracked"] = snapshot.tracks_states;
  json["stopped_microseconds"] = snapshot.core.empty() ? Json(snapshot.stopped_microseconds) : Json(nullptr);
  json["findings"] = snapshot.findings;
  json["threads"] = Json::array();
  for (const auto& thread : snapshot.threads) json["threads"].push_back(to_json(thread));
  json["icvs"] = to_json(snapshot.icvs);
  json["control_variables"] = snapshot.control_variables;
  json["notes"] = snapshot.notes;
  print_data(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace tracer::cli
