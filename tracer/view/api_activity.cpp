// SPDX-License-Identifier: BSD-3-Clause
// Queries for what processes, and all of them, did over time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tracer/index/activity.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/view/activity.hpp"
#include "tracer/view/api.hpp"
#include "tracer/view/request.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;

/// The first interval may begin before the trace does.
Json json_of(const index::ActivityRow& row, std::uint64_t origin) {
  Json times = Json::object();
  for (std::size_t i = 0; i < index::activities; ++i)
    if (!row.times[i].empty()) times[report::name_of(static_cast<report::Activity>(i))] = row.times[i];
  const std::uint64_t begin = row.intervals == 0 ? 0 : (row.first << row.shift) - origin;
  return {{"begin", static_cast<std::int64_t>(begin)},
          {"step", std::uint64_t{1} << row.shift},
          {"count", row.intervals},
          {"times", std::move(times)}};
}

/// The row of a process of a trace, or of all; `number`: of the process through all traces, or of the trace.
struct WantedRow {
  std::size_t trace, process, number;
};

std::vector<WantedRow> rows_of_all(const std::vector<ProcessActivity>& traces) {
  std::vector<WantedRow> rows;
  for (std::size_t i = 0; i < traces.size(); ++i) rows.push_back({i, index::all_processes, i});
  return rows;
}

std::vector<WantedRow> rows_of_processes(const std::vector<ProcessActivity>& traces, const Words& words) {
  std::vector<WantedRow> all, rows;
  for (std::size_t i = 0; i < traces.size(); ++i)
    for (std::size_t k = 0; k < traces[i].processes(); ++k) all.push_back({i, k, all.size()});
  for (const std::uint32_t number : words.list("processes", all.size(), Api::most_lanes)) rows.push_back(all[number]);
  return rows;
}

}  // namespace

std::string Api::activity(const Words& words) {
  constexpr std::size_t blocks_in_all = 300, intervals_in_all = 100'000;
  const std::uint64_t to = words.number("to", 1, most_time), from = words.number("from", 0, to - 1),
                      width = words.number("width", 1, most_width);
  if (activity_.empty())
    for (const ViewedTrace& trace : traces_) activity_.emplace_back(*trace.index);
  const std::vector<WantedRow> wanted =
      words.has("processes") ? rows_of_processes(activity_, words) : rows_of_all(activity_);
  const std::size_t intervals = std::min(intervals_in_all / wanted.size(), static_cast<std::size_t>(width)) + 1;
  Json rows = Json::array();
  for (const WantedRow& one : wanted) {
    const std::uint64_t origin = traces_[one.trace].index->header().first,
                        end = std::max(from + 1, std::min(to, length()));
    const ProcessActivity& of = activity_[one.trace];
    Json row =
        json_of(of.row(one.process, origin + from, origin + end, intervals, blocks_in_all / wanted.size()), origin);
    row[one.process == index::all_processes ? "side" : "process"] = one.number;
    rows.push_back(std::move(row));
  }
  return Json{{"from", from}, {"to", to}, {"rows", std::move(rows)}}.dump();
}

}  // namespace tracer::view
