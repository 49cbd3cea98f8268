// SPDX-License-Identifier: BSD-3-Clause
// See sampled.hpp.
#include "tracer/view/sampled.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tracer/replay/samples/join.hpp"

namespace tracer::view {

Sampled::Sampled(samples::SampleSet set, const Definitions& definitions) : set_{std::move(set)} {
  std::stable_sort(set_.samples.begin(), set_.samples.end(), [](const samples::Sample& a, const samples::Sample& b) {
    return std::tie(a.thread, a.time) < std::tie(b.thread, b.time);
  });
  set_.pauses = {};
  set_.values = {};
  for (const Location& location : definitions.locations) {
    const std::uint32_t thread = report::thread_id_of(location);
    of_.push_back(thread == 0 ? std::pair<std::size_t, std::size_t>{} : samples::range_of(set_.samples, thread));
  }
}

std::pair<std::size_t, std::size_t> Sampled::within(LocationRef location, std::uint64_t from, std::uint64_t to) const {
  const auto begin = set_.samples.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(of_[location].first),
             last = begin + static_cast<std::ptrdiff_t>(of_[location].second);
  const auto low = std::lower_bound(first, last, from,
                                    [](const samples::Sample&a, std::uint64_t b) { return a.time < b; }),
             high =
                 std::upper_bound(low, last, to, [](std::uint64_t a, const samples::Sample&b) { return a < b.time; });
  return {low - begin, high - begin};
}

std::vector<Sampled::Column> Sampled::columns(LocationRef location, std::uint64_t from, std::uint64_t to,
                                              std::size_t most) const {
  std::vector<Column> out;
  const std::pair<std::size_t, std::size_t> range = within(location, from, to);
  const std::uint64_t width = std::max<std::uint64_t>(1, (to - from) / std::max<std::size_t>(1, most));
  for (std::size_t i = range.first; i < range.second;) {
    const std::uint64_t time = set_.samples[i].time, end = from + ((time - from) / width + 1) * width;
    const auto rest = set_.samples.begin() + static_cast<std::ptrdiff_t>(i),
               last = set_.samples.begin() + static_cast<std::ptrdiff_t>(range.second);
    const auto next =
        std::lower_bound(rest, last, end, [](const samples::Sample& a, std::uint64_t b) { return a.time < b; });
    const auto count = static_cast<std::size_t>(next - rest);
    out.push_back({time, count});
    i += std::max<std::size_t>(1, count);
  }
  return out;
}

const std::string& Sampled::text(std::uint32_t string) const {
  static const std::string nothing;
  return string < set_.strings.size() ? set_.strings[string] : nothing;
}

std::vector<Sampled::Line> Sampled::lines(const std::vector<LocationRef>& locations, std::uint64_t from,
                                          std::uint64_t to) const {
  std::vector<std::uint64_t> by_stack(set_.stacks.size());
  for (const LocationRef location : locations) {
    const std::pair<std::size_t, std::size_t> range = within(location, from, to);
    for (std::size_t i = range.first; i < range.second; ++i)
      if (set_.samples[i].stack < by_stack.size()) ++by_stack[set_.samples[i].stack];
  }
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> sums;
  for (std::size_t i = 0; i < by_stack.size(); ++i) {
    if (by_stack[i] == 0) continue;
    const samples::Frame* found = nullptr;
    for (const std::uint32_t number : set_.stacks[i]) {  // the innermost of the program's own, else the innermost
      if (number >= set_.frames.size()) continue;
      const samples::Frame& frame = set_.frames[number];
      if (frame.origin == samples::Origin::user || found == nullptr || found->origin != samples::Origin::user)
        found = &frame;
    }
    if (found != nullptr) sums[{found->function, found->file, found->line}] += by_stack[i];
  }
  std::vector<Line> out;
  for (const auto& [place, count] : sums)
    out.push_back({text(std::get<0>(place)), text(std::get<1>(place)), std::get<2>(place), count});
  std::stable_sort(out.begin(), out.end(), [](const Line& a, const Line& b) { return a.count > b.count; });
  return out;
}

}  // namespace tracer::view
