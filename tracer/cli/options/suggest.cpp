// SPDX-License-Identifier: BSD-3-Clause
// See suggest.hpp.
#include "tracer/cli/options/suggest.hpp"

#include <algorithm>

#include "tracer/base/config.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/options/command.hpp"

namespace tracer::cli {
namespace {

/// How many letters are added, left out, changed, or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& one : known) {
    const std::size_t far = distance(word, one);
    if (far < least) least = far, best = one;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : " Did you mean '" + near + "'?";
}

void check_settings(const std::vector<std::string>& settings) {
  std::vector<std::string> lines, names;
  for (const ConfigRow& row : config_rows()) names.emplace_back(row.name);
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) throw UsageError{"--set takes NAME=VALUE, not '" + setting + "'"};
    std::string name = setting.substr(0, equals);
    if (!name.starts_with("TRACER_")) name = "TRACER_" + name;
    const auto row = std::find_if(config_rows().begin(), config_rows().end(),
                                  [&](const ConfigRow& one) { return name == one.name; });
    if (row != config_rows().end()) {
      const auto is_valid = [&name](const std::string& value) {
        const std::string line = name + "=" + value;
        const char* environment[] = {line.c_str(), nullptr};
        return read_config(environment).complaints.empty();
      };
      if (is_valid(setting.substr(equals + 1))) continue;
      std::vector<std::string> words;
      std::string allowed = row->allowed;
      std::replace_if(
          allowed.begin(), allowed.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
      for (std::string& word : split(allowed, ' '))
        if (is_valid(word)) words.push_back(std::move(word));
      std::string hint;
      for (const std::string& word : split(setting.substr(equals + 1), ','))
        if (hint.empty() && std::find(words.begin(), words.end(), word) == words.end())
          hint = did_you_mean(word, words);
      throw UsageError{"--set " + printable(setting) + ": allowed is " + row->allowed + "." + hint};
    }
    const std::string entry = name + "=";
    const char* environment[] = {entry.c_str(), nullptr};
    if (read_config(environment).complaints.empty()) continue;  // valid, but not documented
    throw UsageError{"--set " + printable(setting) + ": there is no setting " + printable(name) + "." +
                     did_you_mean(name, names)};
  }
}

}  // namespace tracer::cli
