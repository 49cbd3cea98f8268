// SPDX-License-Identifier: BSD-3-Clause
// All that there is to say of a moment on a lane: what is open, what comes next, what it is linked with, its team, its
// samples.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tracer/event_names.hpp"
#include "tracer/index/block.hpp"
#include "tracer/view/api.hpp"
#include "tracer/view/details.hpp"
#include "tracer/view/json_text.hpp"
#include "tracer/view/text.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;
using index::place_at;

constexpr const char* names_of_links[link_kinds] = {"launch", "copy", "creation", "message", "dependence", "lock"};

/// The team that the location is in at a time, as far as some blocks before it say.
CommRef team_at(index::TraceIndex& index, LocationRef location, std::uint64_t time) {
  constexpr std::size_t most_blocks = 16;
  const index::LocationIndex& of = index.location(location);
  if (of.blocks == 0) return undefined_ref;
  const std::size_t last = index::TraceIndex::block_at(of, time);
  for (std::size_t back = 0; back < most_blocks; back = 2 * back + 1) {
    const std::size_t block = last - std::min(last, back);
    std::vector<CommRef> teams;
    index.events(location, place_at(of.places, block).time, [&](const Event& event, std::span<const EventAttribute>) {
      if (event.time > time) return false;
      if (event.type == EventType::team_begin) teams.push_back(event.ref);
      if (event.type == EventType::team_end && !teams.empty()) teams.pop_back();
      return true;
    });
    if (!teams.empty()) return teams.back();
    if (block == 0) break;
  }
  return undefined_ref;
}

Json team_json(const Definitions& of, CommRef team) {
  if (team >= of.comms.size()) return nullptr;
  const Comm& comm = of.comms[team];
  Json json{{"name", comm.name}};
  if (comm.group < of.groups.size()) json["threads"] = of.groups[comm.group].members.size();
  return json;
}

EventType event_of(const Link& link, bool is_from) {
  switch (link.kind) {
    case LinkKind::message:
      return is_from ? EventType::mpi_send : EventType::mpi_recv;
    case LinkKind::task:
      return is_from ? EventType::task_create : EventType::task_switch;
    case LinkKind::lock:
      return is_from ? EventType::release_lock : EventType::acquire_lock;
    case LinkKind::dependence:
      return is_from ? EventType::task_complete : EventType::task_switch;
    default:
      return EventType::enter;
  }
}

/// The archive's event of a link on the location; null where there is none of its kind at that time.
Json event_of_link(index::TraceIndex& index, const Link& link, bool is_from, std::uint64_t origin) {
  const std::uint64_t time = is_from ? link.from_time : link.to_time;
  const LocationRef location = is_from ? link.from : link.to;
  constexpr std::uint64_t most = 64;
  const std::string name = tracer::name_of(event_of(link, is_from));
  for (Json& event : events_of(index, location, origin, time - origin, time - origin, most)) {
    const std::string type = event["type"];
    if (type == name || (link.kind == LinkKind::message &&
                         type == tracer::name_of(is_from ? EventType::mpi_isend : EventType::mpi_irecv)))
      return std::move(event["what"]);
  }
  return nullptr;
}

/// From the one side, what there is at the other.
Json link_json(const ViewedTrace& trace, const Link& link, bool is_from) {
  index::TraceIndex& index = *trace.index;
  const std::uint64_t origin = index.header().first;
  const LocationRef there = is_from ? link.to : link.from;
  const std::uint64_t time = is_from ? link.to_time : link.from_time;
  Json json{{"kind", names_of_links[static_cast<unsigned>(link.kind)]},
            {"out", is_from},
            {"here", (is_from ? link.from_time : link.to_time) - origin},
            {"lane", trace.first_lane + there},
            {"time", time - origin}};
  if (const std::optional<index::Slice> open = slice_with(index, there, time, event_of(link, !is_from))) {
    json["name"] = name_of(trace, open->region);
    json["begin"] = open->begin - origin;
    json["end"] = open->end - origin;
    json["depth"] = open->depth;
  }
  if (link.kind == LinkKind::message || link.kind == LinkKind::lock)
    json["what"] = event_of_link(index, link, is_from, origin);
  return json;
}

}  // namespace

std::string Api::at(const Words& words) {
  constexpr std::size_t events_shown = 12, links_shown = 30, lines_shown = 12;
  constexpr std::uint64_t most_depth = 1000;
  const Lane of = lane(words.list("lane", lanes(), 1).front());
  const std::uint64_t time = words.number("time", 0, most_time);
  const std::uint64_t depth = words.has("depth") ? words.number("depth", 0, most_depth) : most_depth;
  const std::uint64_t ends = words.has("end") ? words.number("end", 0, most_time) : most_time,
                      name = words.has("name") ? words.number("name", 0, undefined_ref) : undefined_ref;
  index::TraceIndex& index = *of.trace->index;
  Json open = Json::array();
  std::optional<index::Slice> asked;  // the one of that depth, else the innermost
  for (const index::Slice& one : index.slices(of.location, of.origin + time, of.origin + time)) {
    if (one.end == of.origin + time && one.begin != one.end) continue;  // just over
    open.push_back({{"depth", one.depth},
                    {"name", name_of(*of.trace, one.region)},
                    {"begin", one.begin - of.origin},
                    {"end", one.end - of.origin},
                    {"continues", one.continues}});
    // Several that take no time may begin together.
    const bool is_it = one.begin == of.origin + time && one.end == of.origin + ends &&
                       (name == undefined_ref || name_of(*of.trace, one.region) == name);
    if (one.depth <= depth && (!asked || one.depth > asked->depth || (one.depth == asked->depth && is_it))) asked = one;
  }
  std::stable_sort(open.begin(), open.end(), [](const Json& a, const Json& b) { return a["depth"] < b["depth"]; });
  Json answer{{"time", time},
              {"open", std::move(open)},
              {"events", events_of(index, of.location, of.origin, time, most_time, events_shown)},
              {"team", team_json(index.definitions(), team_at(index, of.location, of.origin + time))}};
  const std::uint64_t begin = asked ? asked->begin : of.origin + time, end = asked ? asked->end : begin;
  const std::shared_ptr<const LinksFile> file = links_of(*of.trace);
  answer["ready"] = file != nullptr;
  answer["failure"] = failure_of_links(*of.trace);
  if (file != nullptr) {
    LinksFile::Links found = file->of_location(of.location, begin, end, links_shown);
    // What the call itself is for comes first.
    if (asked)
      std::stable_partition(found.list.begin(), found.list.end(), [&](const Link& link) {
        return link.kind == LinkKind::message &&
               is_call_of(index.definitions(), asked->region, link.from == of.location);
      });
    answer["links"] = Json::array();
    const auto is_here = [&](LocationRef location, std::uint64_t at) {
      return location == of.location && at >= begin && at <= end;
    };
    for (const Link& link : found.list) {
      if (is_here(link.from, link.from_time)) answer["links"].push_back(link_json(*of.trace, link, true));
      if (is_here(link.to, link.to_time)) answer["links"].push_back(link_json(*of.trace, link, false));
    }
    answer["linksLeftOut"] = found.more;
    answer["exact"] = found.is_exact;
  }
  if (of.trace->samples != nullptr) {
    std::uint64_t all = 0;
    Json lines = Json::array();
    for (const Sampled::Line& line : of.trace->samples->lines({of.location}, begin, end)) {
      all += line.count;
      if (lines.size() < lines_shown)
        lines.push_back({{"function", line.function}, {"file", line.file}, {"line", line.line}, {"count", line.count}});
    }
    answer["samples"] = {{"all", all}, {"lines", std::move(lines)}};
  }
  return text_of_json(answer);
}

}  // namespace tracer::view
