// SPDX-License-Identifier: BSD-3-Clause
// What the page has from its start: the traces, their lanes and names. The report's page has more of the same form.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tracer/replay/process_groups.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/view/api.hpp"
#include "tracer/view/json_text.hpp"
#include "tracer/view/text.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;

Json processes_of(const Definitions& definitions) {
  Json list = Json::array();
  for (const std::uint32_t group : report::process_groups(definitions))
    list.push_back(
        {{"process", list.size()}, {"name", definitions.groups_of_locations[group].name}, {"threads", Json::array()}});
  const std::vector<std::uint32_t> process_of = report::processes_of_locations(definitions);
  for (std::size_t i = 0; i < process_of.size(); ++i)
    if (process_of[i] < list.size()) list[process_of[i]]["threads"].push_back(i);
  return list;
}

/// `first_process`: as lanes and names, processes are numbered through all traces.
Json side_of(const ViewedTrace& trace, std::size_t first_process) {
  const Definitions& of = trace.index->definitions();
  const index::Header& header = trace.index->header();
  const Json processes = processes_of(of);
  Json names = Json::array();
  for (const Json& one : processes) names.push_back(one["name"]);
  return {{"title", trace.title},
          {"length", header.last - header.first},
          {"events", header.events},
          {"notes", trace.notes},
          {"facts",
           {{"archive", trace.path},
            {"written by", of.creator},
            {"events", header.events},
            {"threads and streams", of.locations.size()},
            {"processes", processes.size()},
            {"bytes of the index", trace.index->bytes()}}},
          {"location", trace.first_lane},
          {"locations", of.locations.size()},
          {"name", trace.first_name},
          {"names", names_of(of)},
          {"process", first_process},
          {"processes", names},
          {"bands", Json::array()},
          {"path", Json::array()},
          {"arrowsLeftOut", 0},
          {"report", {{"processes", processes}, {"threads", Json::array()}, {"constructs", Json::array()}}}};
}

void add_names(Json& meta, const Definitions& definitions) {
  for (const Region& region : definitions.regions) {
    const report::RegionClass known = report::classify(region);
    std::string source = region.source_file;
    if (!source.empty() && region.begin_line != 0) source += ":" + std::to_string(region.begin_line);
    if (!region.description.empty()) source += (source.empty() ? "" : ", ") + region.description;
    meta["names"].push_back(region.name);
    meta["labels"].push_back(known.label);
    meta["sources"].push_back(source);
    meta["activities"].push_back(report::name_of(known.activity));
  }
  std::vector<std::string> names = slice_names(definitions);
  names.emplace_back("not defined");
  for (std::size_t i = definitions.regions.size(); i < names.size(); ++i) {
    for (const char* list : {"names", "labels"}) meta[list].push_back(names[i]);
    meta["sources"].push_back("");
    const bool is_copy = i < name_of_not_recorded(definitions);
    meta["activities"].push_back(is_copy ? "device" : i + 1 < names.size() ? "not_recorded" : "work");
  }
}

void add_lanes(Json& meta, const ViewedTrace& trace) {
  const Definitions& of = trace.index->definitions();
  const std::vector<std::uint32_t> process_of = report::processes_of_locations(of);
  for (std::size_t i = 0; i < of.locations.size(); ++i) {
    const Location& one = of.locations[i];
    const index::LocationIndex& known = trace.index->location(static_cast<LocationRef>(i));
    meta["locations"].push_back({{"name", one.name},
                                 {"stream", one.kind == LocationKind::accelerator_stream},
                                 {"process", process_of[i]},
                                 {"left_out", !is_shown(one) || known.events == 0},
                                 {"depth", std::max(1u, known.depth)}});
  }
}

}  // namespace

std::string Api::meta() const {
  Json meta;
  std::size_t first_process = 0;
  meta["length"] = length();
  meta["hasActivity"] = true;
  for (const char* list :
       {"sides", "locations", "names", "labels", "sources", "activities", "rows", "arrows", "copies", "counters"})
    meta[list] = Json::array();
  for (const ViewedTrace& one : traces_) {
    meta["sides"].push_back(side_of(one, first_process));
    first_process += std::max<std::size_t>(1, meta["sides"].back()["processes"].size());
    add_names(meta, one.index->definitions());
    add_lanes(meta, one);
  }
  return text_of_json(meta);
}

}  // namespace tracer::view
