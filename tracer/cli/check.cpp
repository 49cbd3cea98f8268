// SPDX-License-Identifier: BSD-3-Clause
// `tracer check`: is this archive valid?
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/base/text.hpp"
#include "tracer/check/check.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/filter_options.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/convert/check_part.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

using check::Outcome;
using check::RuleResult;

struct Options {
  std::string archive;
  std::vector<std::string> expect;
  bool json = false, all = false, list = false;
  FilterOptions part;
};

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds:
      return "holds";
    case Outcome::violated:
      return "violated";
    case Outcome::not_applicable:
      break;
  }
  return "not applicable";
}

check::CheckOptions parse(const std::vector<std::string>& expect) {
  check::CheckOptions options;
  for (const auto& text : expect) {
    const auto equals = text.rfind('=');
    const auto count = equals == text.npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!count || equals == 0)
      throw UsageError{"--expect " + text + ": NAME=COUNT is needed, as in --expect 'tasks created=100'"};
    options.expected[text.substr(0, equals)] = *count;
  }
  return options;
}

nlohmann::ordered_json to_json(const check::CheckReport& report, const std::string& part) {
  nlohmann::ordered_json json{{"schema", "tracer-check/1.0"}};
  json["archive"] = report.anchor.string();
  if (!part.empty()) json["part"] = part;
  json["valid"] = report.valid();
  json["events"] = report.events;
  json["locations"] = report.locations;
  json["definitions"] = report.definitions;
  json["rules"] = nlohmann::ordered_json::array();
  for (const auto& f : report.findings) {
    nlohmann::ordered_json rule{{"rule", f.rule}, {"says", f.requirement}, {"outcome", name_of(f.outcome)}};
    if (f.outcome == Outcome::not_applicable) rule["why"] = f.why;
    if (f.outcome == Outcome::violated) {
      rule["count"] = f.count;
      auto& first = rule["first"];
      if (!f.first.location.empty()) first["location"] = f.first.location;
      if (f.first.has_time) first["time"] = f.first.time;
      if (f.first.position != 0) first["event"] = f.first.position;
      first["what"] = f.first.what;
    }
    json["rules"].push_back(std::move(rule));
  }
  return json;
}

void print_place(const check::Place& place) {
  std::string where;
  if (!place.location.empty()) where += place.location + ", ";
  if (place.has_time) where += "time " + std::to_string(place.time) + ", ";
  if (place.position != 0) where += "event " + std::to_string(place.position) + ", ";
  if (!where.empty()) where.replace(where.size() - 2, 2, ": ");
  print_formatted("     first: %s%s\n", where.c_str(), place.what.c_str());
}

void print(const check::CheckReport& report, const std::string& part, bool all) {
  std::size_t held = 0, violated = 0, silent = 0;
  for (const auto& f : report.findings) {
    ++(f.outcome == Outcome::holds ? held : f.outcome == Outcome::violated ? violated : silent);
    if (f.outcome == Outcome::violated) {
      print_formatted("%s  %s: violated %llu time%s\n", styled(f.rule, "1;31").c_str(), f.requirement.c_str(),
                      static_cast<unsigned long long>(f.count), f.count == 1 ? "" : "s");
      print_place(f.first);
    } else if (all) {
      print_formatted("%s  %s: %s%s\n", f.rule.c_str(), f.requirement.c_str(), name_of(f.outcome),
                      f.why.empty() ? "" : (" (" + f.why + ")").c_str());
    }
  }
  print_formatted("%s%s: %s, %llu events on %llu locations; %zu rules hold, %zu violated, %zu not applicable\n",
                  report.anchor.c_str(), part.empty() ? "" : (", " + part).c_str(),
                  report.valid() ? styled("valid", "32").c_str() : styled("not valid", "31").c_str(),
                  static_cast<unsigned long long>(report.events), static_cast<unsigned long long>(report.locations),
                  held, violated, silent);
}

int run(const Options& options) {
  if (options.list && options.json) {
    auto rules = nlohmann::ordered_json::array();
    for (const auto& [id, requirement] : check::rules()) rules.push_back({{"rule", id}, {"says", requirement}});
    print_data(rules.dump(2) + "\n");
    return ok;
  }
  if (options.list) {
    for (const auto& [id, requirement] : check::rules()) print_formatted("%s  %s\n", id, requirement);
    return ok;
  }
  auto wanted = parse(options.expect);
  const fs::path archive = find_archive(options.archive);
  const report::Part part = options.part.part();
  if (!part.whole()) {
    if (!wanted.expected.empty()) throw UsageError{"--expect counts the whole trace, not a part of it"};
    const auto source = otf2::open_archive(archive);
    wanted.part = part_to_check(*source, part, index_for(*source, part, true));
  }
  const auto report = check::check(archive, wanted);
  if (options.json) {
    print_data(to_json(report, part.text()).dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
  } else {
    print(report, part.text(), options.all);
  }
  return report.valid() ? ok : failure;
}

void add(Arguments& app, std::function<int()>& action) {
  auto options = std::make_shared<Options>();
  add_archive(app, options->archive);
  app.add_flag("--json", options->json, "As JSON");
  app.add_flag("--all", options->all, "Also list the rules that hold, and why the others do not apply");
  app.add_flag("--rules", options->list, "List the rules and exit");
  app.add_option(
         "--expect", options->expect,
         "What the program counted itself, for rule E25: times a construct was entered (barrier=20), "
         "or events, locations, threads, 'tasks created', 'tasks completed', 'lock acquisitions', 'lock releases'")
      ->type_name("NAME=COUNT")
      ->take_all()
      ->allow_extra_args(false);
  options->part.add_part_to(app);
  action = [options] { return run(*options); };
}

}  // namespace

const Command check_command{"check", "Validate a trace; show the first violation of each rule", add};

}  // namespace tracer::cli
