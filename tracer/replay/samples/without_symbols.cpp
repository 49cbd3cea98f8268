// SPDX-License-Identifier: BSD-3-Clause
// See without_symbols.hpp.
#include "tracer/replay/samples/without_symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tracer::report {
namespace {

/// "": it has a name.
std::string name_of_nameless(const samples::SampleSet& set, const samples::Frame& frame) {
  const std::string& module = set.strings[frame.module];
  const std::string file = module.substr(module.rfind('/') + 1);
  if (!set.strings[frame.function].starts_with(file + "@0x")) return "";
  return file.empty() ? "(code without a file)" : file + " (no symbols)";
}

}  // namespace

void join_nameless(samples::SampleSet& set) {
  std::unordered_map<std::string, std::uint32_t> strings;
  std::vector<std::uint8_t> is_nameless(set.frames.size());
  for (std::size_t i = 0; i < set.frames.size(); ++i) {
    samples::Frame& frame = set.frames[i];
    const std::string name = name_of_nameless(set, frame);
    if (name.empty()) continue;
    is_nameless[i] = 1;
    const auto [known, is_new] = strings.emplace(name, static_cast<std::uint32_t>(set.strings.size()));
    if (is_new) set.strings.push_back(name);
    frame.function = known->second;
  }
  const auto are_one = [&](std::uint32_t a, std::uint32_t b) {
    return is_nameless[a] != 0 && is_nameless[b] != 0 && set.frames[a].function == set.frames[b].function &&
           set.frames[a].origin == set.frames[b].origin;
  };
  for (auto& stack : set.stacks) stack.erase(std::unique(stack.begin(), stack.end(), are_one), stack.end());
}

}  // namespace tracer::report
