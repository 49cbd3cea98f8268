// SPDX-License-Identifier: BSD-3-Clause
// Fills the page (page/) with the report and the encoded timeline.
#include "tracer/report/html.hpp"

#include <nlohmann/json.hpp>

#include <ostream>
#include <string_view>

#include "tracer/report/filter.hpp"
#include "tracer/report/page_data.hpp"
#include "tracer/report/slice_rows.hpp"
#include "tracer/report/task_graph.hpp"
#include "tracer/report/timeline.hpp"
#include "tracer/report/write.hpp"

namespace tracer::report {
namespace {

using Json = nlohmann::json;

class ProgressVisitor final : public EventVisitor {
 public:
  ProgressVisitor(EventVisitor& next, std::uint64_t total, const std::function<void(double)>& progress)
      : next_{next}, total_{total}, progress_{progress} {}
  void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override {
    next_.event(location, event, attributes);
    if (++count_ % (1 << 18) == 0 && progress_ && total_ != 0)
      progress_(static_cast<double>(count_) / static_cast<double>(total_));
  }

 private:
  EventVisitor& next_;
  std::uint64_t total_, count_ = 0;
  const std::function<void(double)>& progress_;
};

std::uint64_t replay_into(EventSource& source, TimelineVisitor& visitor, Observer* more,
                          const std::function<void(double)>& progress) {
  Replay replay{source.definitions()};
  Timeline timeline{source.definitions(), visitor};
  replay.add(timeline);
  if (more != nullptr) replay.add(*more);
  ProgressVisitor with_progress{replay, source.number_of_events(), progress};
  source.read(with_progress);
  replay.finish();
  return replay.first();
}

/// From which duration on slices are kept one by one: 0 when all fit.
std::uint64_t choose_threshold(EventSource& source, const Report& report, std::uint64_t limit) {
  const auto enters = report.event_counts.find("enter"), switches = report.event_counts.find("task_switch");
  const std::uint64_t bound = (enters == report.event_counts.end() ? 0 : enters->second) +
                              (switches == report.event_counts.end() ? 0 : switches->second);
  if (bound <= limit) return 0;
  SliceHistogram histogram;
  replay_into(source, histogram, nullptr, {});
  if (histogram.total() <= limit) return 0;
  return histogram.threshold(limit / 10 * 6);
}

void write_base64(std::ostream& out, const std::map<std::pair<LocationRef, std::uint32_t>, SliceRows::Row>& rows) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0, have = 0;
  std::size_t total = 0;
  for (const auto& [key, row] : rows) {
    for (const char c : row.bytes) {
      bits = bits << 8 | static_cast<unsigned char>(c);
      have += 8;
      ++total;
      while (have >= 6) text.push_back(digits[bits >> (have -= 6) & 63]);
    }
    out << text;
    text.clear();
  }
  if (have != 0) text.push_back(digits[bits << (6 - have) & 63]);
  text.append((3 - total % 3) % 3, '=');
  out << text;
}

Json locations_of(const Definitions& definitions) {
  Json list = Json::array();
  for (const Location& location : definitions.locations) {
    list.push_back({{"name", location.name}, {"stream", location.kind == LocationKind::accelerator_stream}});
  }
  return list;
}

void add_names(const Definitions& definitions, Json& meta) {
  Json names = slice_names(definitions), labels = Json::array(), sources = Json::array(), activities = Json::array();
  for (const Region& region : definitions.regions) {
    const RegionClass known = classify(region);
    labels.push_back(known.label);
    activities.push_back(name_of(known.activity));
    std::string source = region.source_file;
    if (!source.empty() && region.begin_line != 0) source += ":" + std::to_string(region.begin_line);
    if (!region.description.empty()) source += (source.empty() ? "" : ", ") + region.description;
    sources.push_back(source);
  }
  for (const char* copy : {"copy to device", "copy from device"}) {
    labels.push_back(copy);
    activities.push_back("device");
    sources.push_back("");
  }
  names.push_back("many short ones");
  labels.push_back("many short ones");
  activities.push_back("work");
  sources.push_back("each shorter than can be kept in this page; tracer export has them all");
  meta["names"] = std::move(names);
  meta["labels"] = std::move(labels);
  meta["sources"] = std::move(sources);
  meta["activities"] = std::move(activities);
}

Json counters_of(const Definitions& definitions, const SliceRows& slices) {
  Json list = Json::array();
  for (const auto& [metric, series] : slices.series()) {
    Json times = Json::array(), values = Json::array();
    for (const auto& [time, value] : series.points) {
      times.push_back(time);
      values.push_back(value);
    }
    const bool known = metric < definitions.metrics.size();
    list.push_back({{"name", known ? definitions.metrics[metric].name : "metric"},
                    {"unit", known ? definitions.metrics[metric].unit : ""},
                    {"max", series.max},
                    {"time", std::move(times)},
                    {"value", std::move(values)}});
  }
  return list;
}

Json tasks_of(const TaskGraph& graph, std::uint64_t origin, std::size_t unknown) {
  Json list = Json::array();
  for (const TaskNode& node : graph.nodes()) {
    list.push_back({{"id", node.number},
                    {"parent", node.parent},
                    {"name", node.region == undefined_ref ? unknown : node.region},
                    {"begin", node.begin - std::min(origin, node.begin)},
                    {"end", node.end - std::min(origin, node.end)},
                    {"after", node.after},
                    {"critical", node.critical}});
  }
  return list;
}

/// JSON inside of <script>: "<" could end it.
std::string for_script(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text.push_back(c);
  }
  return text;
}

}  // namespace

void write_html(EventSource& source, const Report& report, const HtmlOptions& options, std::ostream& out,
                const std::function<void(double)>& progress) {
  const Definitions& definitions = source.definitions();
  const std::uint64_t threshold = choose_threshold(source, report, options.slices);
  const auto short_name = static_cast<std::uint32_t>(definitions.regions.size() + 2);
  // Short ones that stand far apart stay apart; no more of them than this gap allows.
  const std::uint64_t rows = 4 * definitions.locations.size();
  const std::uint64_t gap =
      std::max(threshold, report.wall * rows / std::max<std::uint64_t>(1, options.slices / 10 * 4));
  SliceRows slices{report.begin, threshold, gap, short_name, options.arrows};
  TaskGraph graph{options.tasks};
  LongSlices longer{slices, options.shortest};
  replay_into(source, options.shortest == 0 ? static_cast<TimelineVisitor&>(slices) : longer, &graph, progress);
  slices.finish();

  Json meta;
  meta["report"] = Json::parse(to_json(report, -1));
  meta["length"] = report.wall;
  meta["threshold"] = threshold;
  meta["shown"] = slices.shown();
  meta["dropped"] = slices.dropped();
  meta["leftOut"] = longer.left_out();
  meta["shortest"] = options.shortest;
  meta["locations"] = locations_of(definitions);
  add_names(definitions, meta);
  meta["rows"] = Json::array();
  for (const auto& [key, row] : slices.rows()) meta["rows"].push_back({key.first, key.second, row.count});
  meta["arrows"] = Json::array();
  for (const Arrow& arrow : slices.arrows()) {
    meta["arrows"].push_back({static_cast<unsigned>(arrow.kind), arrow.from, arrow.to, arrow.from_time, arrow.to_time});
  }
  meta["arrowsLeftOut"] = slices.arrows_left_out();
  meta["copies"] = slices.copies();
  meta["counters"] = counters_of(definitions, slices);
  meta["tasks"] = tasks_of(graph, report.begin, short_name);
  meta["tasksLeftOut"] = graph.left_out();

  std::string_view rest = page_html;
  while (!rest.empty()) {  // the page's places for what is filled in
    const std::size_t at =
        std::min({rest.find("/*STYLE*/"), rest.find("/*META*/"), rest.find("/*SLICES*/"), rest.find("/*SCRIPT*/")});
    out << rest.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::string_view place = rest.substr(at, rest.find("*/", at) + 2 - at);
    if (place == "/*STYLE*/") out << page_css;
    if (place == "/*META*/") out << for_script(meta);
    if (place == "/*SLICES*/") write_base64(out, slices.rows());
    if (place == "/*SCRIPT*/") out << page_js;
    rest.remove_prefix(at + place.size());
  }
}

}  // namespace tracer::report
