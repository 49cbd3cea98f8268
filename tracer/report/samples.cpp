// SPDX-License-Identifier: BSD-3-Clause
// See samples.hpp.
#include "tracer/report/samples.hpp"

#include <algorithm>
#include <tuple>

namespace tracer::report {
namespace {

std::uint32_t thread_id_of(const Location& location) {
  for (const Property& property : location.properties)
    if (property.name == "TRACER::THREAD_ID")
      return static_cast<std::uint32_t>(std::strtoul(property.value.c_str(), nullptr, 10));
  return 0;
}

/// The part of `values`, sorted by thread, that is of one thread.
template <class T>
std::pair<std::size_t, std::size_t> range_of(const std::vector<T>& values, std::uint32_t thread) {
  const auto less = [](const T& value, std::uint32_t wanted) { return value.thread < wanted; };
  const auto more = [](std::uint32_t wanted, const T& value) { return wanted < value.thread; };
  return {static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), thread, less) - values.begin()),
          static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), thread, more) - values.begin())};
}

}  // namespace

SampleJoin::SampleJoin(const Definitions& definitions, const samples::SampleSet& set)
    : definitions_(definitions), set_(set), classes_(classify(definitions)), cursors_(definitions.locations.size()) {
  for (std::size_t l = 0; l < definitions.locations.size(); ++l) {
    threads_.push_back({.name = definitions.locations[l].name});
    const std::uint32_t thread = thread_id_of(definitions.locations[l]);
    if (thread == 0) continue;
    std::tie(cursors_[l].next_sample, cursors_[l].end_sample) = range_of(set.samples, thread);
    std::tie(cursors_[l].next_pause, cursors_[l].end_pause) = range_of(set.pauses, thread);
  }
}

SampleJoin::Place SampleJoin::place_of(LocationRef location, const Task& task, Activity activity) const {
  Place place;
  place.activity = activity;
  const Task* at = &task;
  for (int depth = 0; at != nullptr && depth < 64; ++depth) {
    if (at->is_explicit && at->region != undefined_ref) place.constructs.push_back(at->region);
    const Team* team = at->team;
    if (team == nullptr || team->region == undefined_ref) break;
    place.constructs.push_back(team->region);
    place.is_master = team->master == location;
    at = team->encountering.get();
  }
  std::reverse(place.constructs.begin(), place.constructs.end());
  return place;
}

void SampleJoin::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  Cursor& cursor = cursors_[location];
  if (cursor.next_sample == cursor.end_sample && cursor.next_pause == cursor.end_pause) return;
  for (; cursor.next_pause != cursor.end_pause && set_.pauses[cursor.next_pause].begin < to; ++cursor.next_pause) {
    // What began before the thread's first event, or goes on after this interval, counts where it began.
    const samples::Pause& pause = set_.pauses[cursor.next_pause];
    const std::uint64_t ns = pause.end > pause.begin ? pause.end - pause.begin : 0;
    SampleThreadRow& row = threads_[location];
    ++row.pauses;
    (pause.preempted != 0 ? row.preempted : row.slept) += ns;
    if (activity == Activity::work) (pause.preempted != 0 ? row.preempted_working : row.slept_working) += ns;
  }
  bool known = false;
  Place place;
  for (; cursor.next_sample != cursor.end_sample && set_.samples[cursor.next_sample].time < to; ++cursor.next_sample) {
    const samples::Sample& sample = set_.samples[cursor.next_sample];
    if (sample.time < from) continue;  // before the thread's first event
    if (!known) place = place_of(location, task, activity);
    known = true;
    ++counts_[{place, sample.stack}];
    if (place.is_master && !place.constructs.empty()) ++prefixes_[place.constructs.front()][sample.stack];
    ++threads_[location].samples;
    ++joined_;
  }
}

SampleJoin::StackParts SampleJoin::parts_of(std::uint32_t stack) const {
  StackParts parts;
  bool begun = false;  // frames that only start the thread are no gap
  for (const std::uint32_t frame : set_.stacks[stack]) {
    const bool user = set_.frames[frame].origin == samples::Origin::user;
    parts.ends_in_runtime = !user;
    if (user) {
      begun = true;
      (parts.has_gap ? parts.after : parts.before).push_back(frame);
    } else if (begun) {
      parts.has_gap = true;
      parts.after.clear();
    }
  }
  return parts;
}

std::string SampleJoin::name_of_frame(std::uint32_t frame) const {
  return set_.strings[set_.frames[frame].function];
}

std::vector<std::string> SampleJoin::path_of(std::uint32_t stack, const Place& place) const {
  std::vector<std::string> path;
  const StackParts own = parts_of(stack);
  if (place.constructs.empty()) {
    for (const std::uint32_t frame : own.before) path.push_back(name_of_frame(frame));
    for (const std::uint32_t frame : own.after) path.push_back(name_of_frame(frame));
  } else {
    const std::vector<std::uint32_t>* before = nullptr;
    StackParts masters;
    if (place.is_master && own.has_gap) before = &own.before;
    if (const auto known = prefixes_.find(place.constructs.front()); before == nullptr && known != prefixes_.end()) {
      std::uint64_t most = 0;
      for (const auto& [candidate, count] : known->second) {
        StackParts parts = parts_of(candidate);
        if (!parts.has_gap || count <= most) continue;
        most = count;
        masters = std::move(parts);
        before = &masters.before;
      }
    }
    if (before != nullptr)
      for (const std::uint32_t frame : *before) path.push_back(name_of_frame(frame));
    const std::string around = path.empty() ? "" : path.back();
    for (const RegionRef construct : place.constructs) {
      const RegionClass& region = classes_[construct];
      path.push_back(region.label + (region.location.empty() ? "" : " @" + region.location));
    }
    // A worker's stack has nothing of the user's before the runtime's frames, and where the runtime keeps no frame
    // pointers the kernel's walk ends there: all of it is the construct's.
    const std::vector<std::uint32_t>& rest = own.has_gap ? own.after : own.before;
    // The function that the compiler made of the construct has the name of the one around it.
    const bool repeats = !rest.empty() && name_of_frame(rest.front()) == around;
    for (std::size_t i = repeats ? 1 : 0; i < rest.size(); ++i) path.push_back(name_of_frame(rest[i]));
  }
  if (path.empty()) path.emplace_back("(unknown)");
  return path;
}

SampleReport SampleJoin::report() const {
  SampleReport result;
  result.period = set_.period;
  result.lost = set_.lost;
  result.samples = joined_;
  result.outside = set_.samples.size() - joined_;
  for (const SampleThreadRow& row : threads_)
    if (row.samples != 0 || row.pauses != 0) result.threads.push_back(row);
  std::map<std::pair<std::vector<std::string>, Activity>, std::uint64_t> paths;
  std::map<std::string, FunctionRow> functions;
  for (const auto& [key, count] : counts_) {
    const auto& [place, stack] = key;
    std::vector<std::string> path = path_of(stack, place);
    std::vector<std::string> seen = path;
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const std::string& name : seen) functions[name].inside += count;
    (place.activity == Activity::work ? functions[path.back()].self : functions[path.back()].waiting) += count;
    paths[{std::move(path), place.activity}] += count;
  }
  for (const auto& frame : set_.frames)
    if (const auto row = functions.find(set_.strings[frame.function]);
        row != functions.end() && row->second.file.empty())
      row->second.file = set_.strings[frame.file];
  for (auto& [name, row] : functions) {
    row.name = name;
    result.functions.push_back(row);
  }
  std::stable_sort(result.functions.begin(), result.functions.end(),
                   [](const FunctionRow& a, const FunctionRow& b) { return a.self + a.waiting > b.self + b.waiting; });
  for (const auto& [key, count] : paths) result.paths.push_back({key.first, key.second, count});
  return result;
}

}  // namespace tracer::report
