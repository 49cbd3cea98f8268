// SPDX-License-Identifier: BSD-3-Clause
// See activity.hpp.
#include "tracer/view/activity.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/replay/process_groups.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/view/window.hpp"

namespace tracer::view {

ProcessActivity::ProcessActivity(index::TraceIndex& index) : index_{index} {
  const Definitions& of = index.definitions();
  for (const report::RegionClass& region : report::classify(of)) activities_.push_back(region.activity);
  threads_.resize(std::max<std::size_t>(1, report::process_groups(of).size()));
  const std::vector<std::uint32_t> process_of = report::processes_of_locations(of);
  for (std::size_t i = 0; i < process_of.size(); ++i) {
    const auto location = static_cast<LocationRef>(i);
    if (!index::is_thread(of.locations[i])) continue;
    threads_[process_of[i]].push_back(location);
    all_.push_back(location);
  }
}

void ProcessActivity::add_thread(LocationRef thread, std::uint64_t from, std::uint64_t to,
                                 index::ActivityTimes& times) const {
  index_.innermost(thread, from, to, [&](RegionRef region, std::uint64_t begin, std::uint64_t end) {
    // Beyond the regions: what was not recorded.
    if (region < activities_.size()) times.add(activities_[region], begin, end);
  });
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
