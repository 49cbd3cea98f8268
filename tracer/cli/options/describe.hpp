// SPDX-License-Identifier: BSD-3-Clause
// The options of a command as plain values: what manual pages and completions are written from.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tracer::cli {

struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--output"; empty for a positional argument
  std::string value;                 ///< "DIR"; "" for a flag
  std::vector<std::string> choices;  ///< the values that it takes, when they are few and fixed
  std::string positional;            ///< name of a positional argument
  std::string description;
  bool required = false;
  bool repeated = false;
};

struct CommandText {
  std::string name, summary, footer;
  std::vector<OptionText> options;
};

/// Of one application or subcommand, without what is hidden.
CommandText describe(const CLI::App& app);
/// Its visible subcommands, in the order of --help.
std::vector<CommandText> describe_subcommands(const CLI::App& app);

}  // namespace tracer::cli
