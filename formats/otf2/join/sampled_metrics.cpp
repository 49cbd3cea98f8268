// SPDX-License-Identifier: BSD-3-Clause
// See sampled_metrics.hpp. Numbers: OTF2_Definitions.h.
#include "formats/otf2/join/sampled_metrics.hpp"

#include <algorithm>

#include "formats/otf2/join/sampled_walk.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t type_other = 0, uint64 = 4, base_decimal = 1;
/// OTF2_METRIC_ACCUMULATED_START, OTF2_METRIC_ABSOLUTE_NEXT.
constexpr std::uint8_t since_start = 0, until_next = 49;
constexpr std::uint8_t synchronous = 1, asynchronous = 2, scope_location = 0;

}  // namespace

std::uint32_t SampledMetrics::member(std::size_t counter) {
  const auto [found, is_new] =
      members_.try_emplace(counter, static_cast<std::uint32_t>(definitions_.metric_members.size()));
  if (is_new) {
    MetricMemberDef own;
    own.ref = found->second;
    own.name = definitions_.string(set_.strings[set_.counters[counter].name]);
    own.description = definitions_.string("counted since the thread was watched, read with its samples");
    own.type = type_other;
    own.mode = since_start;
    own.value_type = uint64;
    own.base = base_decimal;
    own.unit = definitions_.string(set_.counters[counter].nanoseconds != 0 ? "ns" : "1");
    definitions_.metric_members.push_back(own);
  }
  return found->second;
}

// Threads record the synchronous ones; of the asynchronous ones there are instances.
std::uint32_t SampledMetrics::metric_class(std::vector<std::uint64_t> members, std::uint8_t occurrence) {
  const auto next = static_cast<std::uint32_t>(definitions_.metrics.size());
  const auto [found, is_new] = classes_.try_emplace(members, next);
  if (is_new) {
    const std::uint8_t kind = occurrence == synchronous ? values::recorder_cpu : values::recorder_abstract;
    definitions_.metrics.push_back(
        {.ref = next, .members = std::move(members), .occurrence = occurrence, .recorder_kind = kind});
  }
  return found->second;
}

// A value below the one before it is none: the metrics accumulate.
bool SampledMetrics::fill(std::size_t location, std::size_t sample, EventView& event) {
  const std::size_t each = set_.counters.size();
  std::vector<std::uint64_t>& last = last_[location];
  last.resize(each);
  std::vector<std::uint64_t> members;
  values_.clear();
  for (std::size_t c = 0; c < each; ++c) {
    const std::uint64_t value = set_.values[sample * each + c];
    if (value == samples::not_counted || value < last[c]) continue;
    last[c] = value;
    members.push_back(member(c));
    values_.push_back(value);
  }
  if (values_.empty()) return false;
  types_.assign(values_.size(), uint64);
  event.kind = EventKind::metric;
  event.field[0] = metric_class(std::move(members), synchronous);
  event.field[1] = values_.size();
  event.values = values_;
  event.types = types_;
  return true;
}

EventView SampledMetrics::view_of(const SchedulingEvent& event) {
  values_.assign(1, event.value);
  types_.assign(1, uint64);
  EventView view;
  view.time = event.time;
  view.kind = EventKind::metric;
  view.field = {event.metric, 1};
  view.values = values_;
  view.types = types_;
  return view;
}

std::vector<SchedulingLocation> SampledMetrics::scheduling(const TraceDefinitions& from, JoinedDefinitions& to) {
  std::map<std::uint32_t, SchedulingLocation> of_group;
  std::uint64_t next = 0;
  for (const LocationDef& location : from.locations) next = std::max(next, location.ref + 1);
  std::uint32_t base = undefined_ref;
  const std::uint64_t first = from.clock.offset, last = from.clock.offset + from.clock.length;
  const auto less = [](const samples::Pause& pause, std::uint32_t thread) { return pause.thread < thread; };
  for (const LocationDef& location : from.locations) {
    const std::uint32_t thread = thread_of(from, location);
    auto pause = std::lower_bound(set_.pauses.begin(), set_.pauses.end(), thread, less);
    if (thread == 0 || pause == set_.pauses.end() || pause->thread != thread) continue;
    if (base == undefined_ref) {
      const auto member = static_cast<std::uint32_t>(to.metric_members.size());
      to.metric_members.push_back({.ref = member,
                                   .name = to.string("scheduling"),
                                   .description = to.string("0 the thread runs, 1 it sleeps, 2 it was preempted"),
                                   .type = type_other,
                                   .mode = until_next,
                                   .value_type = uint64,
                                   .base = base_decimal,
                                   .exponent = 0,
                                   .unit = to.string("1")});
      base = metric_class({member}, asynchronous);
    }
    const auto [at, is_new] = of_group.try_emplace(location.group);
    if (is_new) at->second.location = {next++, to.string("Scheduling"), values::location_metric, 0, location.group, {}};
    const auto instance = static_cast<std::uint32_t>(to.metrics.size());
    to.metrics.push_back({.ref = instance,
                          .is_instance = true,
                          .members = {},
                          .metric_class = base,
                          .recorder = at->second.location.ref,
                          .scope_type = scope_location,
                          .scope = location.ref});
    auto& events = at->second.events;
    const std::size_t before = events.size();
    for (; pause != set_.pauses.end() && pause->thread == thread; ++pause) {
      const std::uint64_t begin = std::max(pause->begin, first), end = std::min(pause->end, last);
      if (begin >= end) continue;
      events.push_back({begin, instance, pause->preempted != 0 ? 2u : 1u});
      events.push_back({end, instance, 0});
    }
    if (events.size() == before) events.push_back({first, instance, 0});  // it ran all the time
  }
  std::vector<SchedulingLocation> all;
  for (auto& [group, scheduling] : of_group) {
    std::stable_sort(scheduling.events.begin(), scheduling.events.end(),
                     [](const SchedulingEvent& a, const SchedulingEvent& b) { return a.time < b.time; });
    all.push_back(std::move(scheduling));
  }
  return all;
}

}  // namespace tracer::otf2
