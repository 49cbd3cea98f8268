// SPDX-License-Identifier: BSD-3-Clause
// See join.hpp.
#include "tracer/replay/samples/join.hpp"

#include <algorithm>
#include <cstdlib>

#include "tracer/replay/kept_phases.hpp"

namespace tracer::report {
namespace {

/// The first of the sorted `times` from `from` on that is not before `time`: mostly near.
std::size_t not_before(const std::vector<std::uint64_t>& times, std::size_t from, std::uint64_t time) {
  std::size_t low = from, step = 1;
  while (low + step < times.size() && times[low + step] < time) low += step, step *= 2;
  const std::size_t high = std::min(times.size(), low + step + 1);
  return static_cast<std::size_t>(std::lower_bound(times.begin() + static_cast<std::ptrdiff_t>(low),
                                                   times.begin() + static_cast<std::ptrdiff_t>(high), time) -
                                  times.begin());
}

/// The part of `pause` from `begin` to `end`, which may go on where the one before ends.
void add_part(std::vector<samples::Pause>& parts, samples::Pause pause, std::uint64_t begin, std::uint64_t end) {
  if (begin != pause.begin && !parts.empty() && parts.back().end == begin) {
    parts.back().end = end;
    return;
  }
  pause.begin = begin;
  pause.end = end;
  parts.push_back(pause);
}

}  // namespace

std::uint32_t thread_id_of(const Location& location) {
  for (const std::string_view name : {samples::thread_of_job_property, samples::thread_property})
    if (const Property* const known = find_property(location.properties, name))
      return static_cast<std::uint32_t>(std::strtoul(known->value.c_str(), nullptr, 10));
  return 0;
}

SampleJoin::SampleJoin(const Definitions& definitions, const samples::SampleSet& set)
    : definitions_{definitions},
      set_{set},
      is_confined_{!phases_kept(definitions).empty()},
      cursors_(definitions.locations.size()),
      processes_(definitions.groups_of_locations.size() + 1),
      place_of_(set.samples.size(), outside) {
  for (std::size_t l = 0; l < definitions.locations.size(); ++l) {
    Cursor& cursor = cursors_[l];
    const Location& location = definitions.locations[l];
    cursor.process =
        static_cast<std::uint32_t>(std::min<std::size_t>(location.group, definitions.groups_of_locations.size()));
    const std::uint32_t thread = thread_id_of(location);
    if (thread == 0) continue;
    cursor.samples = samples::range_of(set.samples, thread);
    cursor.pauses = samples::range_of(set.pauses, thread);
    cursor.next_sample = cursor.samples.first;
    cursor.next_pause = cursor.pauses.first;
    for (std::size_t s = cursor.samples.first; s != cursor.samples.second; ++s)
      processes_[cursor.process].times.push_back(set.samples[s].time);
  }
  for (Process& process : processes_) {
    std::sort(process.times.begin(), process.times.end());
    process.doing.resize(process.times.size() + 1);
  }
}

std::uint32_t SampleJoin::place_at(LocationRef location, const Task& task, Activity activity) {
  SamplePlace place;
  place.activity = activity;
  if (!task.stack.empty()) place.region = task.stack.back().region;
  const Task* at = &task;
  for (int depth = 0; at != nullptr && depth < 64; ++depth) {
    if (at->is_explicit && at->region != undefined_ref) place.constructs.push_back(at->region);
    const Team* team = at->team.get();
    if (team == nullptr || team->region == undefined_ref || team->helps) break;
    place.constructs.push_back(team->region);
    place.is_master = team->master == location;
    at = team->encountering.get();
  }
  std::reverse(place.constructs.begin(), place.constructs.end());
  const auto [found, is_new] = numbers_.try_emplace(place, static_cast<std::uint32_t>(places_.size()));
  if (is_new) places_.push_back(std::move(place));
  return found->second;
}

/// A pause may be in several intervals, and an interval have several pauses.
void SampleJoin::stop(Cursor& cursor, RegionRef region, Activity activity, std::uint64_t from, std::uint64_t to) {
  StoppedTime sum{to - from, 0, 0};
  for (; cursor.next_pause != cursor.pauses.second; ++cursor.next_pause) {
    const samples::Pause& pause = set_.pauses[cursor.next_pause];
    if (pause.begin >= to) break;
    const std::uint64_t begin = std::max(pause.begin, from), end = std::min(pause.end, to);
    if (end > begin) {
      (pause.preempted != 0 ? sum.preempted : sum.slept) += end - begin;
      if (is_confined_) add_part(cursor.within, pause, begin, end);
    }
    if (pause.end > to) break;
  }
  for (StoppedTime* total : {&cursor.stopped[static_cast<std::size_t>(activity)], &by_region_[{activity, region}]}) {
    total->ns += sum.ns;
    total->slept += sum.slept;
    total->preempted += sum.preempted;
  }
}

void SampleJoin::count(Cursor& cursor, Activity activity, std::uint64_t from, std::uint64_t to) {
  Process& process = processes_[cursor.process];
  const std::size_t begin = not_before(process.times, cursor.next_time, from);
  cursor.next_time = begin;
  if (begin == process.times.size() || process.times[begin] >= to) return;
  cursor.next_time = not_before(process.times, begin, to);
  ++process.doing[begin][static_cast<std::size_t>(activity)];
  --process.doing[cursor.next_time][static_cast<std::size_t>(activity)];
}

void SampleJoin::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  Cursor& cursor = cursors_[location];
  if (cursor.pauses.first != cursor.pauses.second)
    stop(cursor, task.stack.empty() ? undefined_ref : task.stack.back().region, activity, from, to);
  const bool helps = !task.is_explicit && task.team != nullptr && task.team->helps;  // which is no idleness of ours
  if (definitions_.locations[location].kind == LocationKind::cpu_thread && !helps) count(cursor, activity, from, to);
  std::uint32_t place = outside;
  for (; cursor.next_sample != cursor.samples.second; ++cursor.next_sample) {
    const samples::Sample& sample = set_.samples[cursor.next_sample];
    if (sample.time >= to) break;
    if (sample.time < from) continue;  // before the thread's first event
    if (place == outside) place = place_at(location, task, activity);
    place_of_[cursor.next_sample] = place;
  }
}

void SampleJoin::finished(std::uint64_t) {
  for (Process& process : processes_)
    for (std::size_t i = 1; i < process.doing.size(); ++i)
      for (std::size_t kind = 0; kind < kinds; ++kind) process.doing[i][kind] += process.doing[i - 1][kind];
}

Crowd SampleJoin::crowd(LocationRef location, std::uint64_t time) const {
  const Process& process = processes_[cursors_[location].process];
  const auto at = std::lower_bound(process.times.begin(), process.times.end(), time);
  const auto& doing = process.doing[static_cast<std::size_t>(at - process.times.begin())];
  Crowd crowd;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    crowd.by[kind] = static_cast<std::uint32_t>(std::max(0, doing[kind]));
  crowd.working = crowd.by[static_cast<std::size_t>(Activity::work)];
  return crowd;
}

std::span<const samples::Pause> SampleJoin::pauses_of(LocationRef location) const {
  const Cursor& cursor = cursors_[location];
  if (is_confined_) return cursor.within;
  const auto [first, last] = cursor.pauses;
  return std::span<const samples::Pause>{set_.pauses}.subspan(first, last - first);
}

const StoppedTime& SampleJoin::stopped(LocationRef location, Activity activity) const {
  return cursors_[location].stopped[static_cast<std::size_t>(activity)];
}

}  // namespace tracer::report
