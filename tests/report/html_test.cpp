// SPDX-License-Identifier: BSD-3-Clause
// How large a page becomes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tests/report/known_traces.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/page/html.hpp"
#include "tracer/timeline.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// What the page's script reads.
std::string meta_of(const std::string& page) {
  const std::string begin = "<script id=\"meta\" type=\"application/json\">";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  return page.substr(at + begin.size(), page.find("</script>", at) - at - begin.size());
}

std::string page_of(TraceBuilder& trace, const report::HtmlOptions& options) {
  const report::Report report = report::analyze(trace);
  std::ostringstream out;
  report::write_html({&trace, &report, {}, nullptr}, options, out);
  return out.str();
}

}  // namespace

TEST_CASE("a page that would be too large keeps fewer slices") {
  TraceBuilder trace{2};
  const auto function = trace.region("function", RegionRole::function, 0, Paradigm::user);
  constexpr std::uint64_t executions = 60'000;
  for (LocationRef thread = 0; thread < 2; ++thread) {
    for (std::uint64_t i = 0; i < executions; ++i) {
      trace.enter(thread, start + i * ms, function);
      trace.leave(thread, start + i * ms + 100 + i * 16, function);
    }
  }
  trace.editable().clock.offset = start;
  trace.editable().clock.length = executions * ms;
  report::HtmlOptions options;
  options.most_bytes = 0;
  const std::size_t whole = page_of(trace, options).size();
  options.most_bytes = whole / 2;
  const std::size_t half = page_of(trace, options).size();
  CHECK(half <= whole / 2);
  CHECK(half > whole / 10);
  options.most_bytes = 1000;  // the page alone is larger, with no slice at all
  CHECK(page_of(trace, options).size() == whole);
}

TEST_CASE("a page has a slice of each time that recording was off, with a name and an activity of its own") {
  TraceBuilder trace = paused_for(200 * ms);
  const auto meta = nlohmann::json::parse(meta_of(page_of(trace, {})));
  REQUIRE(meta["sides"][0]["names"] == meta["names"].size());
  for (const char* list : {"labels", "activities", "sources"}) CHECK(meta[list].size() == meta["names"].size());
  const std::size_t name = name_of_not_recorded(trace.definitions());
  CHECK(meta["names"][name] == "not recorded");
  CHECK(meta["activities"][name] == "not_recorded");
  std::uint64_t slices = 0;
  for (const nlohmann::json& row : meta["rows"]) slices += row[2].get<std::uint64_t>();
  CHECK(slices == 4 * 3);  // two regions of each thread, and the time between
}

TEST_CASE("of very many ranks a page has those that are in MPI or waited for most, and of processes how they ended") {
  constexpr unsigned ranks = 1200;
  MpiJob job{ranks};
  for (unsigned rank = 0; rank < ranks; ++rank) {
    const std::uint64_t length = rank == 1100 ? 50 * ms : ms;
    job.program(rank, start, start + 100 * ms);
    job.send(rank, (rank + 1) % ranks, start + ms, start + ms + length, 10, 8);
  }
  const report::Report report = report::analyze(job.finish());
  const auto meta = nlohmann::json::parse(meta_of(page_of(job.trace, {})));
  const nlohmann::json& shown = meta["sides"][0]["report"];
  CHECK(report.mpi.rank_rows.size() == ranks);
  CHECK(shown["mpi"]["by_rank_left_out"] == 200);
  REQUIRE(shown["mpi"]["by_rank"].size() == 1000);
  const nlohmann::json& by_rank = shown["mpi"]["by_rank"];
  CHECK(std::any_of(by_rank.begin(), by_rank.end(), [](const nlohmann::json& row) { return row["rank"] == 1100; }));
  CHECK(std::is_sorted(by_rank.begin(), by_rank.end(), [](const nlohmann::json& a, const nlohmann::json& b) {
    return a["rank"].get<unsigned>() < b["rank"].get<unsigned>();
  }));
  CHECK(!by_rank[0].contains("calls"));
  REQUIRE(shown["processes"].size() == ranks);  // lanes have their names
  CHECK(shown["processes"][0]["run"].size() == 3);
}

TEST_CASE("a counter of several threads is one for each of them, of very many of them as many as a page has room for") {
  const auto counted = [](unsigned threads) {
    TraceBuilder trace{threads};
    trace.editable().metrics.push_back({"balance", "", "", undefined_ref, undefined_ref, ValueType::uint64});
    for (LocationRef thread = 0; thread < threads; ++thread)
      for (std::uint64_t i = 0; i < 1000; ++i)
        trace.simple(thread, start + i * ms, EventType::metric_uint, 0, thread + 5);
    return page_of(trace, {});
  };
  const std::string two = counted(2), many = counted(300);
  CHECK(two.find("\"lane\":0,\"max\":5.0") != std::string::npos);
  CHECK(two.find("\"lane\":1,\"max\":6.0") != std::string::npos);
  CHECK(two.find("\"countersLeftOut\":0") != std::string::npos);
  CHECK(many.find("\"countersLeftOut\":44") != std::string::npos);
  CHECK(many.size() < 6'000'000);
}

TEST_CASE("a counter of very many points has its peak on a page, and stands at what it has come down to") {
  TraceBuilder trace{1};
  trace.editable().metrics.push_back({"memory", "", "", undefined_ref, undefined_ref, ValueType::uint64});
  constexpr std::uint64_t points = 50'000;
  for (std::uint64_t i = 0; i < points; ++i)
    trace.simple(0, start + i * us, EventType::metric_uint, 0, i == 30'001 ? 9000 : i % 2 == 0 ? 1000 : 7);
  trace.simple(0, start + 10'000 * ms, EventType::metric_uint, 0, 5);
  const std::string page = page_of(trace, {});
  const std::size_t at = page.find("\"name\":\"memory\",\"time\":[");
  REQUIRE(at != std::string::npos);
  const auto list = [&](const std::string& name) {
    const std::size_t begin = page.find("\"" + name + "\":[", at) + name.size() + 3;
    return nlohmann::json::parse(page.substr(begin, page.find(']', begin) + 1 - begin)).get<std::vector<double>>();
  };
  const std::vector<double> times = list("time"), values = list("value");
  REQUIRE(times.size() == values.size());
  REQUIRE(values.size() > 1000);
  CHECK(values.size() < 20'000);
  CHECK(std::count(values.begin(), values.end(), 9000.0) == 1);
  CHECK(values[values.size() - 2] == 7);
  CHECK(times[times.size() - 2] < 50.0 * static_cast<double>(ms));
  CHECK(values.back() == 5);
}

TEST_CASE("of a parallel region with very many threads a page has those that work or wait most") {
  TraceBuilder trace{400};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  for (LocationRef thread = 0; thread < 400; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.team_end(thread, start + 10 * ms, parallel);
  }
  CHECK(page_of(trace, {}).find("\"members_left_out\":100") != std::string::npos);
}

TEST_CASE("JSON has the members of as many parallel regions as wanted, of each those that work or wait most") {
  constexpr std::uint64_t longest = 30;
  TraceBuilder trace = imbalance_3_to_1();  // thread 3 works longest, and the others wait for it
  const report::Report report = report::analyze(trace);
  const auto regions_with = [&](const report::JsonLimits& limits) {
    return nlohmann::json::parse(report::to_json(report, -1, limits))["parallel_regions"];
  };
  const nlohmann::json all = regions_with({});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["members"].size() == 4);
  CHECK(!all[0].contains("members_left_out"));
  const nlohmann::json two = regions_with({.regions_with_members = 1, .members = 2});
  REQUIRE(two[0]["members"].size() == 2);
  CHECK(two[0]["members"][0]["location"] == 3);
  CHECK(two[0]["members"][0]["time"]["work_ns"] == longest * ms);
  CHECK(two[0]["members_left_out"] == 2);
  const nlohmann::json none = regions_with({.regions_with_members = 0, .members = 2});
  CHECK(none[0]["members"].empty());
  CHECK(none[0]["members_left_out"] == 4);
}

TEST_CASE("a report's JSON is written as one value is, with and without lines") {
  TraceBuilder trace = imbalance_3_to_1();
  report::Report report = report::analyze(trace);
  const auto is_as_one = [&](int indent) {
    const std::string text = report::to_json(report, indent);
    return nlohmann::ordered_json::parse(text).dump(indent) == text;
  };
  report.parallels.push_back(report.parallels.front());
  report.parallels.back().name = "of\ntwo lines";
  CHECK(is_as_one(2));
  CHECK(is_as_one(-1));
  report.parallels.clear();
  CHECK(is_as_one(2));
  CHECK(is_as_one(-1));
}
