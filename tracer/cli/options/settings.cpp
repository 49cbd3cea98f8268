// SPDX-License-Identifier: BSD-3-Clause
// See settings.hpp.
#include "tracer/cli/options/settings.hpp"

#include <unistd.h>

#include <algorithm>

#include "tracer/base/text.hpp"
#include "tracer/cli/options/suggest.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {
namespace {

bool is_valid(const std::string& name, const std::string& value) {
  const std::string line = name + "=" + value;
  const char* environment[] = {line.c_str(), nullptr};
  return read_config(environment).complaints.empty();
}

/// For the part of a list that is not allowed.
std::string hint_for(const ConfigRow& row, const std::string& value) {
  std::vector<std::string> words;
  std::string allowed = row.allowed;
  std::replace_if(
      allowed.begin(), allowed.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  for (std::string& word : split(allowed, ' '))
    if (is_valid(row.name, word)) words.push_back(std::move(word));
  for (const std::string& word : split(value, ','))
    if (std::find(words.begin(), words.end(), word) == words.end())
      if (std::string hint = did_you_mean(word, words); !hint.empty()) return hint;
  return {};
}

}  // namespace

std::pair<std::string, std::string> parsed_setting(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) throw UsageError{"--set takes NAME=VALUE, not '" + setting + "'"};
  const std::string name = setting.substr(0, equals);
  return {name == "TRACER" || name.starts_with("TRACER_") ? name : "TRACER_" + name, setting.substr(equals + 1)};
}

void check_setting(const std::string& name, const std::string& value, const std::string& written) {
  std::vector<std::string> names;
  for (const ConfigRow& row : config_rows()) {
    names.emplace_back(row.name);
    if (name != row.name) continue;
    if (is_valid(name, value)) return;
    throw UsageError{printable(written) + ": allowed is " + row.allowed + "." + hint_for(row, value)};
  }
  if (!is_valid(name, value))
    throw UsageError{printable(written) + ": there is no setting " + printable(name) + "." + did_you_mean(name, names)};
  // What is valid here and in no row is the tests', or tracer run reads it or sets it itself.
  if (!name.starts_with("TRACER_TEST_") && !name.starts_with("TRACER_BENCH_"))
    throw UsageError{printable(written) + ": " + name +
                     " is a variable of tracer run itself: set it in the environment."};
}

void check_settings(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const auto [name, value] = parsed_setting(setting);
    check_setting(name, value, "--set " + setting);
  }
}

Config program_settings(const std::vector<std::string>& settings) {
  std::vector<std::string> lines;
  for (auto setting = settings.rbegin(); setting != settings.rend(); ++setting) {  // of equal names the last counts
    const auto [name, value] = parsed_setting(*setting);
    lines.push_back(name + "=" + value);
  }
  std::vector<const char*> environment;
  for (const std::string& line : lines) environment.push_back(line.c_str());
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) environment.push_back(*entry);
  environment.push_back(nullptr);
  return read_config(environment.data());
}

}  // namespace tracer::cli
