// SPDX-License-Identifier: BSD-3-Clause
// `tracer info`: what one pastes into a report of a fault; or the description of a trace.
#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <memory>

#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/write/sink.hpp"
#include "tracer/base/config.hpp"
#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/cli/launch/probe.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/report/measures/processes.hpp"
#include "tracer/version.hpp"
#include "tracer/virtual_location.hpp"

extern char** environ;

namespace tracer::cli {
namespace {

using Json = nlohmann::ordered_json;

Json path_or_null(const std::optional<std::filesystem::path>& path) {
  return path ? Json(path->string()) : Json(nullptr);
}

Json shown_settings(const Config& config) {
  Json found = Json::object();
  for (const Setting& setting : config.settings) {
    found[setting.name] = (setting.value.empty() ? "not set" : setting.value) +
                          (setting.origin.empty() ? "" : " (" + setting.origin + ")");
  }
  return found;
}

Json openmp_environment() {
  Json found = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line{*entry};
    if (line.starts_with("OMP_") || line.starts_with("LIBOMP") || line.starts_with("KMP_") ||
        line.starts_with("LD_PRELOAD=")) {
      found[std::string{line.substr(0, line.find('='))}] = line.substr(line.find('=') + 1);
    }
  }
  return found;
}

/// As ompt_set_result_t.
std::string answer_text(const CallbackAnswer& answer) {
  constexpr const char* texts[] = {"error", "never", "impossible", "sometimes", "sometimes, paired", "always"};
  std::string text = answer.result >= 0 && answer.result < 6 ? texts[answer.result] : "not asked";
  if (!answer.note.empty()) text += " (" + answer.note + ")";
  return text;
}

Json runtime_info(const std::optional<std::filesystem::path>& runtime,
                  const std::optional<std::filesystem::path>& library) {
  Json info;
  info["path"] = path_or_null(runtime);
  if (!runtime || !library) return info;
  const auto [journal, why_unknown] = probe_runtime(*runtime, *library);
  info["starts the tool"] = why_unknown.empty() ? Json(journal.has_value()) : Json(nullptr);
  if (!why_unknown.empty()) info["unknown because"] = why_unknown;
  if (!journal) return info;
  info["version"] = journal->run.runtime_version;
  info["build"] = journal->run.runtime_build;
  for (const CallbackAnswer& answer : journal->callbacks) info["callbacks"][answer.name] = answer_text(answer);
  Json missing = Json::array();
  for (const CallbackAnswer& entry : journal->entry_points) {
    if (entry.result != 1) missing.push_back(entry.name);
  }
  info["entry points missing"] = missing;
  return info;
}

/// The path that the loader finds for a library, null when there is none.
Json loadable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    void* handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) continue;
    link_map* map = nullptr;
    const Json path = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? Json(map->l_name) : Json(name);
    dlclose(handle);
    return path;
  }
  return nullptr;
}

std::string directory_info(const std::string& path) {
  struct statvfs status {};
  if (statvfs(path.c_str(), &status) != 0) return path + ": not there";
  const std::string room = format_bytes(std::uint64_t{status.f_bavail} * status.f_frsize) + " free";
  return path + ": " + room + (access(path.c_str(), W_OK) == 0 ? "" : ", not writable");
}

Json about_machine() {
  Json info;
  info["version"] = tracer_version;
  utsname system{};
  uname(&system);
  info["system"] = std::string{system.sysname} + " " + system.release + " " + system.machine;
  const auto library = find_tracer_library();
  info["library"] = path_or_null(library);
  info["OpenMP runtime"] = runtime_info(find_llvm_runtime(), library);
  info["OTF2"] = std::string{"level 3.0"} + (otf2_library_has_level_3_1() ? " and 3.1" : "");
  info["CUPTI"] = loadable({"libcupti.so", "libcupti.so.13", "libcupti.so.12",
                            "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib64/libcupti.so"});
  info["CUDA driver"] = loadable({"libcuda.so.1"});
  const Config config = own_settings();
  info["directories"] = {{"spool", directory_info(config.spool.empty() ? "/dev/shm" : config.spool)},
                         {"output", directory_info(".")}};
  info["settings"] = shown_settings(config);
  info["environment"] = openmp_environment();
  return info;
}

/// What a person needs first; the internals come after.
void add_run(const Definitions& definitions, const std::vector<report::ProcessRow>& processes, Json& info) {
  const report::RunFacts facts = report::facts_of_all(definitions, processes);
  if (definitions.clock.has_realtime()) {
    const auto seconds = static_cast<std::time_t>(definitions.clock.realtime / 1'000'000'000u);
    std::tm local{};
    char text[64];
    if (localtime_r(&seconds, &local) && std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &local) != 0)
      info["date"] = text;
  }
  if (!facts.known) return;
  info["host"] = facts.host + (facts.machine.empty() ? "" : " (" + facts.machine + ")");
  if (!facts.processor.empty()) info["processor"] = facts.processor;
  info["processors"] =
      formatted("%.4g for the process%s, %llu online", facts.processors, processes.size() > 1 ? "es" : "",
                static_cast<unsigned long long>(facts.processors_online));
  if (const std::string ended = report::ending_text(facts, processes); !ended.empty()) info["ended"] = ended;
  if (processes.size() < 2 && facts.start != 0 && facts.end > facts.start)
    info["process"] = std::to_string(static_cast<double>(facts.end - facts.start) / 1e9) + " s, processor time " +
                      std::to_string(static_cast<double>(facts.processor_ns) / 1e9) + " s";
  Json environment = Json::object();
  for (const auto& [name, value] : facts.environment) environment[name] = value;
  info["OpenMP settings"] = std::move(environment);
}

/// For developers of the tool: the runtime's answers, counters, settings, and what add_run() has added.
bool is_internal(const std::string& property) {
  for (const char* kind :
       {properties::callback, properties::callbacks, properties::entry_point, properties::setting, properties::counter,
        properties::run, properties::clock_line, properties::thread_states, properties::mutex_implementations})
    if (property.starts_with(kind)) return true;
  return false;
}

/// For people: without what is internal.
void leave_out_internals(Json& info) {
  Json shown = Json::object();
  std::size_t left_out = 0;
  for (const auto& [name, value] : info["properties"].items())
    is_internal(name) ? void(++left_out) : void(shown[name] = value);
  info["properties"] = std::move(shown);
  constexpr std::size_t most_processes = 32;
  if (info.contains("processes") && info["processes"].size() > most_processes) {
    Json first = Json::object();
    for (const auto& [name, value] : info["processes"].items())
      if (first.size() < most_processes) first[name] = value;
    const std::size_t more = info["processes"].size() - most_processes;
    info["processes"] = std::move(first);
    info["processes left out"] = std::to_string(more) + " (--all shows them)";
  }
  if (left_out != 0) info["properties left out"] = std::to_string(left_out) + " of the tool's own (--all shows them)";
}

/// For people: why it is unknown whether the runtime starts the tool, in its place.
void name_what_is_unknown(Json& info) {
  Json& runtime = info["OpenMP runtime"];
  if (!runtime.contains("unknown because")) return;
  runtime["starts the tool"] = "unknown: " + runtime["unknown because"].get<std::string>();
  runtime.erase("unknown because");
}

/// By name: how many threads and streams each has, and what else distinguishes them.
Json about_processes(const std::vector<report::ProcessRow>& processes) {
  const bool are_several = report::has_several_programs(processes);
  Json all = Json::object();
  for (const report::ProcessRow& process : processes) {
    std::string text = format_counted(process.threads.size(), "thread");
    if (!process.streams.empty()) text += ", " + format_counted(process.streams.size(), "device stream");
    if (are_several && !process.program.empty()) text += ", " + process.program;
    if (const std::string ended = report::ending_text(process.facts); !ended.empty()) text += ", " + ended;
    std::string name = process.name;
    for (int n = 2; all.contains(name); ++n) name = process.name + " (" + std::to_string(n) + ")";
    all[name] = text;
  }
  return all;
}

Json about_trace(const std::string& given) {
  const auto path = find_archive(given);
  const auto source = otf2::open_archive(path);
  const Definitions& definitions = source->definitions();
  std::uint64_t threads = 0, streams = 0;
  for (const Location& location : definitions.locations)
    if (is_shown(location)) ++(location.kind == LocationKind::cpu_thread ? threads : streams);
  Json info;
  info["archive"] = path.string();
  const std::vector<report::ProcessRow> processes = report::processes_of(definitions, {});
  add_run(definitions, processes, info);
  info["creator"] = definitions.creator;
  if (!definitions.description.empty()) info["description"] = definitions.description;
  info["duration"] = std::to_string(static_cast<double>(definitions.clock.length) / 1e9) + " s";
  info["events"] = source->number_of_events();
  info["threads"] = threads;
  info["device streams"] = streams;
  if (processes.size() > 1) info["processes"] = about_processes(processes);
  info["regions"] = definitions.regions.size();
  info["properties"] = Json::object();
  for (const Property& property : definitions.properties) info["properties"][property.name] = property.value;
  return info;
}

void print(const Json& value, int indent) {
  std::size_t width = 0;
  for (const auto& [name, item] : value.items()) width = std::max(width, item.is_object() ? 0 : name.size() + 1);
  for (const auto& [name, item] : value.items()) {
    if (item.is_object()) {
      print_formatted("%*s%s%s\n", indent, "", styled(name, "1").c_str(), item.empty() ? ": none" : ":");
      print(item, indent + 2);
      continue;
    }
    std::string text = item.is_string()    ? item.get<std::string>()
                       : item.is_null()    ? "not found"
                       : item.is_boolean() ? (item.get<bool>() ? "yes" : "no")
                                           : item.dump();
    if (item.is_array()) {
      text.clear();
      for (const auto& part : item) text += (text.empty() ? "" : ", ") + part.get<std::string>();
      if (text.empty()) text = "none";
    }
    print_formatted("%*s%-*s %s\n", indent, "", static_cast<int>(width), (name + ":").c_str(), text.c_str());
  }
}

void add(Arguments& app, std::function<int()>& action) {
  auto json = std::make_shared<bool>(false);
  auto all = std::make_shared<bool>(false);
  auto archive = std::make_shared<std::string>();
  app.add_option("archive", *archive, "Trace to describe (default: this machine and installation)");
  app.add_flag("--json", *json, "As JSON");
  app.add_flag("--all", *all, "With a trace: show all its properties, internal ones included (JSON always has them)");
  action = [json, all, archive] {
    Json info = archive->empty() ? about_machine() : about_trace(*archive);
    if (*json) {
      Json written{{"schema", "tracer-info/1.0"}};
      written.update(info);
      print_data(written.dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
    } else {
      if (archive->empty())
        name_what_is_unknown(info);
      else if (!*all)
        leave_out_internals(info);
      print(info, 0);
    }
    return ok;
  };
}

}  // namespace

const Command info_command{
    "info", "Show version, settings and the runtimes and libraries found here; or the properties of a trace", add};

}  // namespace tracer::cli
