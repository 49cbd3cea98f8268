// SPDX-License-Identifier: BSD-3-Clause
// Reads names, values and descriptions out of the option parser.
#include "tracer/cli/options/describe.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>

namespace tracer::cli {
namespace {

/// "TEXT:{json,csv}" has the choices json and csv.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find('{'), end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return choices;
  for (std::string& choice : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',')) {
    const std::size_t arrow = choice.find("->");  // a name and the value that it stands for
    choices.push_back(CLI::detail::trim_copy(choice.substr(0, arrow)));
  }
  return choices;
}

std::string value_name(const CLI::Option& option, const std::vector<std::string>& choices) {
  if (option.get_expected_max() == 0) return "";
  if (!choices.empty()) return CLI::detail::join(choices, "|");
  const std::string type = option.get_type_name();
  const std::size_t colon = type.rfind(':');
  return colon == std::string::npos ? type : type.substr(colon + 1);
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.choices = choices_in(option.get_type_name());
  text.value = value_name(option, text.choices);
  text.description = option.get_description();
  text.required = option.get_required();
  text.repeated = option.get_expected_max() > 1;
  if (text.names.empty()) text.positional = option.get_name(true);
  return text;
}

}  // namespace

CommandText describe(const CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) text.options.push_back(describe_option(*option));
  }
  return text;
}

std::vector<CommandText> describe_subcommands(const CLI::App& app) {
  std::vector<CommandText> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) commands.push_back(describe(*command));
  }
  return commands;
}

}  // namespace tracer::cli
