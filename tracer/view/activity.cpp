// SPDX-License-Identifier: BSD-3-Clause
// See activity.hpp.
#include "tracer/view/activity.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tracer/replay/process_groups.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/view/window.hpp"

namespace tracer::view {

ProcessActivity::ProcessActivity(index::TraceIndex& index)
    : index_{index}, regions_{report::classify(index.definitions())} {
  const Definitions& of = index.definitions();
  threads_.resize(std::max<std::size_t>(1, report::process_groups(of).size()));
  const std::vector<std::uint32_t> process_of = report::processes_of_locations(of);
  for (std::size_t i = 0; i < process_of.size(); ++i) {
    const auto location = static_cast<LocationRef>(i);
    if (!index::is_thread(of.locations[i])) continue;
    threads_[process_of[i]].push_back(location);
    all_.push_back(location);
  }
}

/// At each moment it does what the innermost of its slices is.
void ProcessActivity::add_thread(LocationRef thread, std::uint64_t from, std::uint64_t to,
                                 index::ActivityTimes& times) const {
  std::vector<index::Slice> slices = index_.slices(thread, from, to);
  std::stable_sort(slices.begin(), slices.end(), [](const index::Slice& a, const index::Slice& b) {
    return std::tie(a.begin, a.depth) < std::tie(b.begin, b.depth);
  });
  std::vector<const index::Slice*> open;
  std::uint64_t since = from;
  const auto charge_until = [&](std::uint64_t time) {
    time = std::min(time, to);
    if (time <= since) return;
    // Beyond the regions: what was not recorded.
    if (!open.empty() && open.back()->region < regions_.size())
      times.add(regions_[open.back()->region].activity, since, time);
    since = time;
  };
  const auto close_until = [&](std::uint64_t time) {
    while (!open.empty() && open.back()->end <= time) {
      charge_until(open.back()->end);
      open.pop_back();
    }
  };
  for (const index::Slice& one : slices) {
    close_until(one.begin);
    charge_until(one.begin);
    open.push_back(&one);
  }
  close_until(~std::uint64_t{0});
}

index::ActivityRow ProcessActivity::row(std::size_t process, std::uint64_t from, std::uint64_t to,
                                        std::size_t intervals, std::size_t blocks) const {
  index::ActivityRow known = index::part_of(index_.activity(process), from, to, intervals);
  if (known.intervals == 0) return known;
  const std::uint64_t width = std::bit_ceil((to - from) / intervals + 1);
  if (std::uint64_t{1} << known.shift <= width) return known;
  const std::uint64_t begin = from & ~(width - 1), end = ((to - 1) | (width - 1)) + 1;  // whole intervals
  const std::vector<LocationRef>& threads = process == index::all_processes ? all_ : threads_[process];
  if (!are_few_events(index_, threads, begin, end, blocks)) return known;
  const std::size_t most = intervals + 2;  // a part of one at either end
  index::ActivityTimes times{std::bit_ceil(most)};
  for (const LocationRef thread : threads) add_thread(thread, begin, end, times);
  return index::part_of(times.row(), from, to, most);
}

}  // namespace tracer::view
