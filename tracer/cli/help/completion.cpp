// SPDX-License-Identifier: BSD-3-Clause
// `tracer completion SHELL`: what bash, zsh and fish need to complete commands, options and their values.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "tracer/cli/options/command.hpp"
#include "tracer/cli/options/describe.hpp"

namespace tracer::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

void print_bash(const CLI::App& app) {
  const auto commands = describe_subcommands(app);
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  std::printf(
      "# bash completion of tracer\n_tracer() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '%s %s' -- \"$word\"))\n    return\n  fi\n"
      "  case \"$command:$before\" in\n",
      joined(names, " ").c_str(), joined(option_names(describe(app)), " ").c_str());
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      if (option.choices.empty() || option.names.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(command.name + ":" + name);
      std::printf("    %s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", joined(patterns, "|").c_str(),
                  joined(option.choices, " ").c_str());
    }
  }
  std::printf("  esac\n  case \"$command:$word\" in\n");
  for (const CommandText& command : commands) {
    std::printf("    %s:-*) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", command.name.c_str(),
                joined(option_names(command), " ").c_str());
  }
  for (const CommandText& command : commands) {  // a positional argument of few fixed values
    for (const OptionText& option : command.options) {
      if (!option.names.empty() || option.choices.empty()) continue;
      std::printf("    %s:*) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", command.name.c_str(),
                  joined(option.choices, " ").c_str());
    }
  }
  std::printf("  esac\n  COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _tracer tracer\n");
}

/// In single quotes for zsh and fish; brackets and colons mean something to zsh's _arguments.
std::string quoted(const std::string& text, bool zsh) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += zsh ? "'\\''" : "\\'";
    else if (c == '\n')
      out += ' ';
    else if (zsh && (c == '[' || c == ']' || c == ':'))
      out += std::string{"\\"} + c;
    else
      out += c;
  }
  return out;
}

void print_zsh(const CLI::App& app) {
  const auto commands = describe_subcommands(app);
  std::printf("#compdef tracer\n_tracer() {\n  local -a commands\n  commands=(\n");
  for (const CommandText& command : commands) {
    std::printf("    '%s:%s'\n", command.name.c_str(), quoted(command.summary, true).c_str());
  }
  std::printf(
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
  for (const CommandText& command : commands) {
    std::printf("    %s) _arguments", command.name.c_str());
    for (const OptionText& option : command.options) {
      const std::string action =
          option.value.empty()
              ? ""
              : ":value:" + (option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")");
      for (const std::string& name : option.names) {
        std::printf(" \\\n      '%s[%s]%s'", name.c_str(), quoted(option.description, true).c_str(), action.c_str());
      }
    }
    std::printf(" \\\n      '*:file:_files' ;;\n");
  }
  std::printf("  esac\n}\n_tracer \"$@\"\n");
}

void print_fish(const CLI::App& app) {
  std::printf("# fish completion of tracer\n");
  for (const CommandText& command : describe_subcommands(app)) {
    std::printf("complete -c tracer -n __fish_use_subcommand -f -a %s -d '%s'\n", command.name.c_str(),
                quoted(command.summary, false).c_str());
    for (const OptionText& option : command.options) {
      if (option.names.empty()) continue;
      std::printf("complete -c tracer -n '__fish_seen_subcommand_from %s'", command.name.c_str());
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        std::printf(" %s %s", is_long ? "-l" : "-s", name.c_str() + (is_long ? 2 : 1));
      }
      if (!option.value.empty()) std::printf(" -r");
      if (!option.choices.empty()) std::printf(" -f -a '%s'", joined(option.choices, " ").c_str());
      std::printf(" -d '%s'\n", quoted(option.description, false).c_str());
    }
  }
}

void add(Arguments& app, std::function<int()>& action) {
  auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(one_of({"bash", "zsh", "fish"}));
  app.footer("For this shell only: source <(tracer completion bash)");
  action = [shell, &app] {
    if (*shell == "bash")
      print_bash(app.all_commands());
    else if (*shell == "zsh")
      print_zsh(app.all_commands());
    else
      print_fish(app.all_commands());
    return static_cast<int>(ok);
  };
}

}  // namespace

const Command completion_command{"completion", "Print a completion script for a shell", add};

}  // namespace tracer::cli
