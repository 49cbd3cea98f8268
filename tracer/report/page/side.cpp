// SPDX-License-Identifier: BSD-3-Clause
// See side.hpp.
#include "tracer/report/page/side.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tracer/cut/filter.hpp"
#include "tracer/replay/reading_progress.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/forms/keep_most.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/mpi/path_of_run.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::json;

/// More steps of the critical path than a page has pixels nobody sees.
constexpr std::uint64_t steps_of_a_path = 20'000;

/// From which duration on slices are kept one by one: 0 when all fit.
std::uint64_t choose_threshold(const PageTrace& trace, std::uint64_t limit) {
  const auto& counts = trace.report->event_counts;
  const auto enters = counts.find("enter"), switches = counts.find("task_switch");
  const std::uint64_t bound =
      (enters == counts.end() ? 0 : enters->second) + (switches == counts.end() ? 0 : switches->second);
  if (bound <= limit) return 0;
  SliceHistogram histogram;
  Replay replay{trace.source->definitions()};
  Timeline timeline{trace.source->definitions(), histogram};
  replay.add(timeline);
  trace.source->read(replay);
  replay.finish();
  if (histogram.total() <= limit) return 0;
  return histogram.threshold(limit / 10 * 6);
}

/// Of a stream that of the program: bands and searches go by it.
std::uint32_t process_of(const Definitions& definitions, const Location& location) {
  if (location.group >= definitions.groups_of_locations.size()) return location.group;
  const LocationGroup& group = definitions.groups_of_locations[location.group];
  const bool is_device = group.kind == LocationGroupKind::accelerator && group.creating_group != undefined_ref;
  return is_device ? group.creating_group : location.group;
}

class BandsAlone final : public TimelineVisitor {
 public:
  explicit BandsAlone(TimelineVisitor& next) : next_{next} {}
  void band(const Band& band) override { next_.band(band); }
  void finish() override { next_.finish(); }

 private:
  TimelineVisitor& next_;
};

/// Short ones that stand far apart stay apart; no more of them than this gap allows.
std::uint64_t gap_of(const PageTrace& trace, std::uint64_t threshold, std::uint64_t limit) {
  const std::uint64_t rows = 4 * trace.source->definitions().locations.size();
  return std::max(threshold, trace.report->wall * rows / std::max<std::uint64_t>(1, limit / 10 * 4));
}

/// Of a list, which has what takes most time first, as many rows as a table of the page.
void shorten(Json& of, const std::string& list, std::size_t most) {
  Json& rows = of[list];
  of[list + "_left_out"] = rows.size() - std::min(rows.size(), most);
  if (rows.size() > most) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end());
}

/// Of thousands of ranks those that are longest in MPI, and of the others those that are waited for most.
void shorten_ranks(Json& mpi, std::size_t most) {
  Json& ranks = mpi["by_rank"];
  mpi["by_rank_left_out"] = ranks.size() - std::min(ranks.size(), most);
  if (ranks.size() <= most) return;
  const auto number = [](const char* what) {
    return [what](const Json& row) { return row[what].get<std::uint64_t>(); };
  };
  keep_most(ranks, most, number("total_ns"), number("caused_ns"));
  std::sort(ranks.begin(), ranks.end(), [](const Json& a, const Json& b) {
    return a["rank"].get<std::uint64_t>() < b["rank"].get<std::uint64_t>();
  });
}

/// Lanes have the names of all processes.
void shorten_processes(Json& processes) {
  for (Json& process : processes) {
    const Json& run = process["run"];
    Json ending = {{"host", run["host"]}, {"ended", run["ended"]}, {"signal", run["signal"]}};
    process["run"] = std::move(ending);
  }
}

/// As to_json() has it; of constructs, functions and the like as many rows as a table shows, and of thousands of
/// threads what the page needs.
Json report_for_page(const Report& report) {
  constexpr std::size_t most = 1000;
  Json json =
      Json::parse(to_json(report, -1, {.regions_with_members = 20, .members = 300, .has_calls_by_rank = false}));
  for (const char* list : {"by_thread", "by_process"}) json["account"].erase(list);
  std::uint64_t inside = 0;
  for (const Json& construct : json["constructs"]) inside += construct["exclusive_ns"].get<std::uint64_t>();
  json["constructs_exclusive_ns"] = inside;
  for (const char* list : {"constructs", "parallel_regions", "phases"}) shorten(json, list, most);
  shorten(json["tasks"], "regions", most);
  shorten_ranks(json["mpi"], most);
  shorten_processes(json["processes"]);
  for (Json& thread : json["threads"]) {
    Json times = Json::object();  // the page takes the others as 0
    for (const auto& [name, ns] : thread["time"].items())
      if (ns != 0) times[name] = ns;
    thread["time"] = std::move(times);
  }
  if (!json.contains("samples")) return json;
  for (const char* list : {"functions", "blame", "waits"}) {
    Json& rows = json["samples"][list];
    if (rows.size() > most) rows.erase(rows.begin() + most, rows.end());
  }
  return json;
}

}  // namespace

PageSide::PageSide(const PageTrace& trace, const HtmlOptions& options, std::size_t first_location,
                   std::size_t first_name, const std::function<void(double)>& progress)
    : trace_{trace},
      options_{options},
      first_location_{first_location},
      first_name_{first_name},
      threshold_{options.has_timeline ? choose_threshold(trace, options.slices) : 0},
      slices_{trace.report->begin, threshold_, gap_of(trace, threshold_, options.slices),
              static_cast<std::uint32_t>(names() - 1), options.arrows},
      task_graph_{options.tasks} {
  read(progress);
}

void PageSide::read(const std::function<void(double)>& progress) {
  EventSource& source = *trace_.source;
  LongSlices longer{slices_, options_.shortest};
  BandsAlone bands{slices_};
  TimelineVisitor& kept = !options_.has_timeline   ? static_cast<TimelineVisitor&>(bands)
                          : options_.shortest == 0 ? static_cast<TimelineVisitor&>(slices_)
                                                   : longer;
  Replay replay{source.definitions()};
  ReadingProgress reading{source.number_of_events(), progress};
  replay.add(reading);
  Timeline timeline{source.definitions(), kept};
  PathOfRun path{source.definitions(), replay, trace_.report->wall / steps_of_a_path};
  TimelineMessages messages{source.definitions(), replay, kept};
  replay.add(messages.observer());
  replay.add(timeline);
  replay.add(task_graph_);
  path.add_to(replay);
  if (trace_.samples != nullptr) replay.add(sample_join_.emplace(source.definitions(), *trace_.samples));
  source.read(replay);
  replay.finish();
  slices_.finish();
  left_out_ = longer.left_out();
  path_ = path.trail();
  if (!sample_join_) return;
  sample_paths_.emplace(*sample_join_);
  samples_.emplace(*sample_join_, *sample_paths_, trace_.report->begin);
}

/// Of what is nowhere drawn the page has the place of the name alone: a program may have a hundred thousand regions.
std::vector<bool> PageSide::drawn_names() const {
  std::vector<bool> drawn(names(), samples_.has_value());  // samples name constructs as well
  for (std::uint32_t name = 0; name < drawn.size(); ++name)
    if (slices_.has_name(name)) drawn[name] = true;
  for (const TaskNode& node : task_graph_.nodes())
    if (node.region != undefined_ref) drawn[node.region] = true;
  return drawn;
}

void PageSide::add_names(Json& meta) const {
  const Definitions& definitions = trace_.source->definitions();
  const std::vector<bool> is_drawn = drawn_names();
  std::size_t next = 0;
  for (const std::string& name : slice_names(definitions)) {
    const bool has_name = is_drawn[next] || next >= definitions.regions.size();
    meta["names"].push_back(has_name ? name : std::string{});
    ++next;
  }
  next = 0;
  for (const Region& region : definitions.regions) {
    if (!is_drawn[next++]) {
      for (const char* list : {"labels", "sources"}) meta[list].push_back("");
      meta["activities"].push_back("work");
      continue;
    }
    const RegionClass known = classify(region);
    std::string source = region.source_file;
    if (!source.empty() && region.begin_line != 0) source += ":" + std::to_string(region.begin_line);
    if (!region.description.empty()) source += (source.empty() ? "" : ", ") + region.description;
    meta["labels"].push_back(known.label);
    meta["activities"].push_back(name_of(known.activity));
    meta["sources"].push_back(source);
  }
  for (const auto& [name, activity] :
       {std::pair{"copy to device", "device"}, {"copy from device", "device"}, {"not recorded", "not_recorded"}}) {
    meta["labels"].push_back(name);
    meta["activities"].push_back(activity);
    meta["sources"].push_back("");
  }
  meta["names"].push_back("many short ones");
  meta["labels"].push_back("many short ones");
  meta["activities"].push_back("work");
  meta["sources"].push_back(
      "each shorter than can be kept in this page; tracer view shows them all, and tracer export has them");
}

void PageSide::add_slices(Json& meta) const {
  for (const auto& [key, row] : slices_.rows())
    meta["rows"].push_back({key.first + first_location_, key.second, row.count});
  for (const Arrow& arrow : slices_.arrows())
    meta["arrows"].push_back({static_cast<unsigned>(arrow.kind), arrow.from + first_location_,
                              arrow.to + first_location_, arrow.from_time, arrow.to_time});
  for (const SliceRows::Copy& copy : slices_.copies())
    meta["copies"].push_back({copy[0] + first_location_, copy[1], copy[2]});
}

void PageSide::add_counters(Json& meta) const {
  const Definitions& definitions = trace_.source->definitions();
  for (const auto& [key, series] : slices_.series()) {
    const auto& [metric, location] = key;
    Json times = Json::array(), values = Json::array();
    for (const CounterPoint& point : series.columns.points()) {
      times.push_back(point.time);
      values.push_back(point.value);
    }
    const bool known = metric < definitions.metrics.size();
    meta["counters"].push_back({{"name", known ? definitions.metrics[metric].name : "metric"},
                                {"unit", known ? definitions.metrics[metric].shown_unit() : ""},
                                {"lane", location + first_location_},
                                {"max", series.max},
                                {"min", series.min},
                                {"time", std::move(times)},
                                {"value", std::move(values)}});
  }
}

Json PageSide::tasks() const {
  const std::uint64_t origin = trace_.report->begin;
  Json list = Json::array();
  for (const TaskNode& node : task_graph_.nodes()) {
    const std::size_t name = node.region == undefined_ref ? names() - 1 : node.region;
    list.push_back({{"id", node.number},
                    {"parent", node.parent},
                    {"name", name + first_name_},
                    {"begin", node.begin - std::min(origin, node.begin)},
                    {"end", node.end - std::min(origin, node.end)},
                    {"after", node.after},
                    {"critical", node.critical}});
  }
  return list;
}

/// In order of time: location, from, to.
Json PageSide::path() const {
  const std::uint64_t origin = trace_.report->begin;
  std::vector<const Step*> steps;
  for (const Step* step = path_.get(); step != nullptr; step = step->before.get()) steps.push_back(step);
  Json list = Json::array();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    list.push_back({(*step)->location + first_location_, (*step)->from - std::min(origin, (*step)->from),
                    (*step)->to - std::min(origin, (*step)->to)});
  return list;
}

/// Process, lane, name, begin, end.
Json PageSide::bands() const {
  std::vector<Band> bands = slices_.bands();
  std::sort(bands.begin(), bands.end(), [](const Band& a, const Band& b) {
    return std::tie(a.group, a.lane, a.begin) < std::tie(b.group, b.lane, b.begin);
  });
  Json list = Json::array();
  for (const Band& band : bands)
    list.push_back({band.group, band.lane, band.region + first_name_, band.begin, band.end});
  return list;
}

Json PageSide::processes() const {
  Json list = Json::array();
  for (const LocationGroup& group : trace_.source->definitions().groups_of_locations) list.push_back(group.name);
  return list;
}

void PageSide::add_to(Json& meta) const {
  meta["sides"].push_back({{"title", trace_.title},
                           {"report", report_for_page(*trace_.report)},
                           {"length", trace_.report->wall},
                           {"location", first_location_},
                           {"locations", locations()},
                           {"name", first_name_},
                           {"names", names()},
                           {"threshold", threshold_},
                           {"shown", slices_.shown()},
                           {"dropped", slices_.dropped()},
                           {"leftOut", left_out_},
                           {"arrowsLeftOut", slices_.arrows_left_out()},
                           {"countersLeftOut", slices_.series_left_out()},
                           {"tasks", tasks()},
                           {"tasksLeftOut", task_graph_.left_out()},
                           {"path", path()},
                           {"processes", processes()},
                           {"bands", bands()},
                           {"bandsLeftOut", slices_.bands_left_out()},
                           {"samples", samples_ ? samples_->json() : Json{}}});
  const Definitions& definitions = trace_.source->definitions();
  for (const Location& location : definitions.locations)
    meta["locations"].push_back({{"name", location.name},
                                 {"stream", location.kind == LocationKind::accelerator_stream},
                                 {"process", process_of(definitions, location)},
                                 {"left_out", !location.used}});
  add_names(meta);
  add_slices(meta);
  add_counters(meta);
}

}  // namespace tracer::report
