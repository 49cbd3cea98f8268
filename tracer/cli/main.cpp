// SPDX-License-Identifier: BSD-3-Clause
// The `tracer` command: a table of subcommands, the option parser, and the one place that catches.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "formats/otf2/common/file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/launch/descriptor_limit.hpp"
#include "tracer/cli/launch/own_umask.hpp"
#include "tracer/cli/launch/program.hpp"
#include "tracer/cli/options/command.hpp"
#include "tracer/cli/options/suggest.hpp"
#include "tracer/cli/output/size_limit.hpp"
#include "tracer/cli/output/stack_limit.hpp"
#include "tracer/cli/output/standard_streams.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/version.hpp"

namespace tracer::cli {
namespace {

const std::array commands = {
    &run_command,     &convert_command, &report_command,   &check_command,      &export_command, &diff_command,
    &what_if_command, &info_command,    &snapshot_command, &attach_command,     &top_command,    &recover_command,
    &merge_command,   &samples_command, &view_command,     &completion_command, &manual_command,
};

/// `line` in lines of at most 100 columns. The rest of a description stands below its beginning, in `column`; lines
/// that describe something are indented, a footer is not.
std::string wrapped(std::string line, std::size_t column) {
  constexpr std::size_t width = 100;
  const bool is_described =
      line.starts_with(' ') && line.size() > column && line[column - 1] == ' ' && line[column] != ' ';
  const std::size_t indent = is_described ? column : std::min(line.find_first_not_of(' '), line.size());
  std::string lines;
  while (line.size() > width) {
    const std::size_t end = line.rfind(' ', width);
    if (end == std::string::npos || end <= indent) break;
    lines += line.substr(0, end) + '\n';
    line = std::string(indent, ' ') + line.substr(end + 1);
  }
  return lines + line;
}

/// CLI11 since 2.5 has its own columns for descriptions.
template <class Formatter>
void take_whole_lines(Formatter& formatter) {
  if constexpr (requires { formatter.right_column_width(10'000); }) formatter.right_column_width(10'000);
}

/// The same help with every version of CLI11: "Usage:" before the usage, no blanks at the end of a line, one empty line
/// at most, and lines that fit on a page.
class Help final : public CLI::Formatter {
 public:
  Help() {
    column_width(34);
    take_whole_lines<CLI::Formatter>(*this);
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string text = Formatter::make_usage(app, std::move(name));
    text.erase(0, std::min(text.find_first_not_of("\n "), text.size()));
    while (text.ends_with('\n')) text.pop_back();
    if (text.empty()) return text;
    if (app->get_prefix_command()) text += " [--] PROGRAM [ARGUMENTS...]";
    return (text.starts_with("Usage:") ? "" : "Usage: ") + text + "\n\n";
  }

  /// A flag that may have a value is "--sample{1000}" to the parser: --sample[=RATE].
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::string name = Formatter::make_option_name(option, is_positional);
    const std::size_t brace = name.find('{');
    if (brace == std::string::npos) return name;
    const std::string type = option->get_type_name();
    return name.substr(0, brace) + "[=" + type.substr(0, type.find(':')) + "]";
  }

  /// Of such a flag the name has the value.
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool is_in_name = Formatter::make_option_name(option, false).find('{') != std::string::npos;
    return is_in_name ? std::string{} : Formatter::make_option_opts(option);
  }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string tidy;
    std::istringstream lines{Formatter::make_help(app, std::move(name), mode)};
    for (std::string line; std::getline(lines, line);) {
      while (line.ends_with(' ')) line.pop_back();
      if (!line.empty() || (!tidy.empty() && !tidy.ends_with("\n\n"))) tidy += wrapped(line, get_column_width()) + '\n';
    }
    return tidy;
  }
};

char** dashes = nullptr;

/// A program's own "--" and options are none of ours: CLI11 would take them.
int without_program_words(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], run_command.name) != 0) return argc;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) {
      dashes = argv + i + 1;
      return i;
    }
  }
  return argc;
}

/// A command is near, or the word is a program's: "" for other words.
std::string what_was_meant(const std::string& word, const std::vector<std::string>& names) {
  const bool is_path = word.find('/') != std::string::npos;
  if (std::string command = is_path ? std::string{} : did_you_mean(word, names); !command.empty()) return command;
  return find_program(word) ? " To trace a program: tracer run " + shell_word(word) : std::string{};
}

int run_main(int argc, char** argv) {
  CLI::App app{"Traces OpenMP programs on host and devices, and analyses the traces.", "tracer"};
  app.set_version_flag("-V,--version", std::string{"tracer "} + tracer_version);
  app.require_subcommand(1);
  app.formatter(std::make_shared<Help>());
  app.footer(
      "'tracer COMMAND --help' describes a command. First steps: tracer run ./program; tracer report\n"
      "Exit status, unless described: 0 done; 1 not done, or something found; 2 wrong usage.");
  std::array<std::function<int()>, commands.size()> actions;
  std::array<CLI::App*, commands.size()> subcommands{};
  std::vector<Arguments> arguments;  // actions refer to them
  arguments.reserve(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    subcommands[i] = app.add_subcommand(commands[i]->name, commands[i]->summary);
    commands[i]->add(arguments.emplace_back(*subcommands[i]), actions[i]);
  }
  try {
    app.parse(without_program_words(argc, argv), argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string command = argc > 1 && argv[1][0] != '-' && argv[1][0] != '\0' ? std::string{" "} + argv[1] : "";
    bool known = false;
    for (const CLI::App* subcommand : subcommands)
      known = known || (!command.empty() && subcommand->get_name() == argv[1]);
    if (!known && !command.empty()) {
      std::vector<std::string> names;
      for (const Command* one : commands) names.emplace_back(one->name);
      print_note("unknown command '" + std::string{argv[1]} + "'." + what_was_meant(argv[1], names) +
                 "\nTry 'tracer --help'.");
      return usage;
    }
    print_note(std::string{error.what()} + "\nTry 'tracer" + (known ? command : "") + " --help'.");
    return usage;
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (subcommands[i]->parsed()) return actions[i]();
  }
  return usage;
}

}  // namespace

char** after_dashes() noexcept {
  return dashes;
}

}  // namespace tracer::cli

int main(int argc, char** argv) {
  tracer::cli::hold_standard_streams();
  tracer::cli::fail_at_size_limit();
  tracer::cli::raise_descriptor_limit();
  tracer::cli::keep_rights_of_the_user();
  tracer::otf2::keep_files_open(true);
  try {
    const int status = tracer::cli::on_enough_stack([&] { return tracer::cli::run_main(argc, argv); });
    tracer::cli::flush_output();
    return status;
  } catch (const tracer::UsageError& error) {
    tracer::cli::print_error(error.what());
    return tracer::cli::usage;
  } catch (const std::exception& error) {
    tracer::cli::print_error(error.what());
    return tracer::cli::failure;
  }
}
