// SPDX-License-Identifier: BSD-3-Clause
// The forms in which samples are written: for people, for flame graphs, for speedscope, as JSON.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tracer/report/samples.hpp"
#include "tracer/report/units.hpp"

namespace tracer::report {
namespace {

/// A path with its wait, if it is one, as a last frame.
std::vector<std::string> frames_of(const PathRow& row) {
  std::vector<std::string> frames = row.path;
  if (row.activity != Activity::work) frames.push_back(std::string{"["} + name_of(row.activity) + "]");
  return frames;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  const std::string text = percent_text(part, whole);
  return std::string(text.size() < 7 ? 7 - text.size() : 0, ' ') + text;
}

std::string line(const char* format, const std::string& a, const std::string& b, const std::string& c,
                 const std::string& d) {
  char text[512];
  std::snprintf(text, sizeof text, format, a.c_str(), b.c_str(), c.c_str(), d.c_str());
  return text;
}

std::string milliseconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(ns) * 1e-6);
  return text;
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

std::string to_json(const SampleReport& report) {
  nlohmann::json functions = nlohmann::json::array(), paths = nlohmann::json::array(),
                 threads = nlohmann::json::array();
  for (const FunctionRow& row : report.functions)
    functions.push_back(
        {{"name", row.name}, {"file", row.file}, {"self", row.self}, {"inside", row.inside}, {"waiting", row.waiting}});
  for (const PathRow& row : report.paths)
    paths.push_back({{"path", row.path}, {"activity", name_of(row.activity)}, {"samples", row.samples}});
  for (const SampleThreadRow& row : report.threads) {
    threads.push_back({{"name", row.name},
                       {"samples", row.samples},
                       {"pauses", row.pauses},
                       {"slept_ns", row.slept},
                       {"preempted_ns", row.preempted},
                       {"preempted_working_ns", row.preempted_working},
                       {"slept_working_ns", row.slept_working}});
  }
  const nlohmann::json file{{"schema", "tracer-samples/1.0"}, {"period_ns", report.period},
                            {"samples", report.samples},      {"lost", report.lost},
                            {"outside", report.outside},      {"functions", std::move(functions)},
                            {"paths", std::move(paths)},      {"threads", std::move(threads)}};
  return file.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string to_text(const SampleReport& report, std::size_t rows) {
  std::string text;
  if (report.samples != 0) {
    text += std::to_string(report.samples) + " samples, one for each " + milliseconds(report.period) +
            " of a thread's processor time";
    if (report.lost != 0) text += "; " + std::to_string(report.lost) + " were lost";
    if (report.outside != 0) text += "; " + std::to_string(report.outside) + " lie outside of the trace";
    text += "\n\nFunctions and constructs, by samples in them themselves\n\n";
    text += line("  %9s %9s %9s  %s\n", "working", "waiting", "inside", "");
    std::size_t shown = 0;
    for (const FunctionRow& row : report.functions) {
      if (rows != 0 && shown++ == rows) break;
      text += line("  %9s %9s %9s  %s", percent(row.self, report.samples), percent(row.waiting, report.samples),
                   percent(row.inside, report.samples), row.name);
      text += row.file.empty() ? "\n" : "  (" + row.file.substr(row.file.rfind('/') + 1) + ")\n";
    }
  }
  bool switches = false;
  for (const SampleThreadRow& row : report.threads) switches = switches || row.pauses != 0;
  if (switches) {
    text += "\nThreads that did not run\n\n";
    text += line("  %12s %12s %14s  %s\n", "slept", "preempted", "while working", "thread");
    for (const SampleThreadRow& row : report.threads)
      text += line("  %12s %12s %14s  %s\n", milliseconds(row.slept), milliseconds(row.preempted),
                   milliseconds(row.preempted_working + row.slept_working), row.name);
  }
  if (text.empty()) text = "no samples\n";
  return text;
}

}  // namespace tracer::report
