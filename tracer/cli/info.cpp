// SPDX-License-Identifier: BSD-3-Clause
// `tracer info`: what one pastes into a report of a fault.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tracer/cli/command.hpp"
#include "tracer/cli/program.hpp"
#include "tracer/cli/terminal.hpp"

#ifndef TRACER_VERSION
#define TRACER_VERSION "unknown"
#endif

extern char** environ;

namespace tracer::cli {
namespace {

using Json = nlohmann::ordered_json;

Json environment_settings() {
  Json found = Json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line{*entry};
    if (line.starts_with("TRACER_") || line.starts_with("OMP_") || line.starts_with("LIBOMP") ||
        line.starts_with("KMP_")) {
      found[std::string{line.substr(0, line.find('='))}] = line.substr(line.find('=') + 1);
    }
  }
  return found;
}

Json collect() {
  Json info;
  info["version"] = TRACER_VERSION;
  utsname system{};
  uname(&system);
  info["system"] = std::string{system.sysname} + " " + system.release + " " + system.machine;
  const auto library = find_tracer_library();
  info["library"] = library ? Json(library->string()) : Json(nullptr);
  const auto runtime = find_llvm_runtime();
  info["runtime"] = runtime ? Json(runtime->string()) : Json(nullptr);
  info["environment"] = environment_settings();
  return info;
}

void print(const Json& value, int indent) {
  for (const auto& [name, item] : value.items()) {
    if (item.is_object()) {
      std::printf("%*s%s%s\n", indent, "", styled(name, "1").c_str(), item.empty() ? ": none set" : ":");
      print(item, indent + 2);
    } else {
      const std::string text = item.is_string() ? item.get<std::string>() : item.is_null() ? "not found" : item.dump();
      std::printf("%*s%-*s %s\n", indent, "", 26 - indent, (name + ":").c_str(), text.c_str());
    }
  }
}

void add(CLI::App& app, std::function<int()>& action) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "As JSON");
  action = [json] {
    const Json info = collect();
    if (*json) {
      std::printf("%s\n", info.dump(2).c_str());
    } else {
      print(info, 0);
    }
    return ok;
  };
}

}  // namespace

const Command info_command{"info", "Version, settings, and what was found on this machine", add};

}  // namespace tracer::cli
