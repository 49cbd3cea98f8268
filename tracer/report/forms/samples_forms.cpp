// SPDX-License-Identifier: BSD-3-Clause
// Samples for programs that draw flame graphs, and for speedscope.
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>

#include "tracer/report/samples.hpp"

namespace tracer::report {
namespace {

/// A path with its wait, if it is one, as a last frame.
std::vector<std::string> frames_of(const PathRow& row) {
  std::vector<std::string> frames = row.path;
  if (row.activity != Activity::work) frames.push_back(std::string{"["} + name_of(row.activity) + "]");
  return frames;
}

}  // namespace

std::string to_folded(const SampleReport& report) {
  std::string text;
  for (const PathRow& row : report.paths) {
    bool first = true;
    for (std::string frame : frames_of(row)) {
      for (char& c : frame)
        if (c == ';' || c == '\n') c = ':';
      if (!first) text += ';';
      text += frame;
      first = false;
    }
    text += ' ' + std::to_string(row.samples) + '\n';
  }
  return text;
}

std::string to_speedscope(const SampleReport& report, const std::string& name) {
  nlohmann::json frames = nlohmann::json::array(), stacks = nlohmann::json::array(), weights = nlohmann::json::array();
  std::map<std::string, std::size_t> index;
  std::uint64_t total = 0;
  for (const PathRow& row : report.paths) {
    nlohmann::json stack = nlohmann::json::array();
    for (const std::string& frame : frames_of(row)) {
      const auto [at, is_new] = index.emplace(frame, index.size());
      if (is_new) frames.push_back({{"name", frame}});
      stack.push_back(at->second);
    }
    stacks.push_back(std::move(stack));
    weights.push_back(row.samples * report.period);
    total += row.samples * report.period;
  }
  const nlohmann::json file{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                            {"name", name},
                            {"exporter", "tracer"},
                            {"shared", {{"frames", std::move(frames)}}},
                            {"profiles",
                             {{{"type", "sampled"},
                               {"name", name},
                               {"unit", "nanoseconds"},
                               {"startValue", 0},
                               {"endValue", total},
                               {"samples", std::move(stacks)},
                               {"weights", std::move(weights)}}}}};
  return file.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tracer::report
