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

}  // namespace

std::string Api::activity(const Words& words) {
  constexpr std::size_t blocks_in_all = 300, intervals_in_all = 100'000;
  const std::uint64_t to = words.number("to", 1, most_time), from = words.number("from", 0, to - 1),
                      width = words.number("width", 1, most_width);
  if (activity_.empty())
    for (const ViewedTrace& trace : traces_) activity_.emplace_back(*trace.index);
  struct Wanted {
    std::size_t trace, process, number;
  };
  std::vector<Wanted> wanted;  // in the order of the processes' numbers on the page
  for (std::size_t i = 0; i < traces_.size(); ++i)
    for (std::size_t k = 0; k < activity_[i].processes(); ++k) wanted.push_back({i, k, wanted.size()});
  if (words.has("processes")) {
    std::vector<Wanted> named;
    for (const std::uint32_t number : words.list("processes", wanted.size(), most_lanes))
      named.push_back(wanted[number]);
    wanted = std::move(named);
  } else {
    wanted.clear();
    for (std::size_t i = 0; i < traces_.size(); ++i) wanted.push_back({i, index::all_processes, i});
  }
  const std::size_t intervals = std::min(intervals_in_all / wanted.size(), static_cast<std::size_t>(width)) + 1;
  Json rows = Json::array();
  for (const Wanted& one : wanted) {
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
