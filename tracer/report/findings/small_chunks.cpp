// SPDX-License-Identifier: BSD-3-Clause
// Loops that hand out their iterations in chunks so small that handing out takes the time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tracer/base/text.hpp"
#include "tracer/report/findings/judge.hpp"

namespace tracer::report {
namespace {

/// The next of 2, 5, 10, 20, 50... that is not less.
std::uint64_t round_figure(double value) {
  std::uint64_t ten = 1;
  while (static_cast<double>(ten) * 10 < value) ten *= 10;
  for (const std::uint64_t figure : {2 * ten, 5 * ten})
    if (value <= static_cast<double>(figure)) return figure;
  return 10 * ten;
}

}  // namespace

/// What of the work's time by the clock is its own: where others have the processors less of it is.
double Judge::ran_of_work() const {
  const std::uint64_t work = account_.at(Place::work);
  return work == 0 ? 1 : share(work, work + delayed_work());
}

/// Loops whose chunks are so short that handing them out takes the time.
void Judge::small_chunks() {
  constexpr std::uint64_t short_chunk = 2'000;    // ns
  constexpr std::uint64_t handing_out = 500;      // ns at most: 50 without contention
  constexpr std::uint64_t chunk_to_try = 20'000;  // ns
  const double ran = ran_of_work();
  for (const RegionRow& row : report_.regions) {
    const auto found = account_.loops.find(row.region);
    if (found == account_.loops.end() || found->second.chunks < often) continue;
    const LoopFacts& loop = found->second;
    // With the regions inside of its iterations.
    const auto each = static_cast<std::uint64_t>(ran * static_cast<double>(row.balance.sum / loop.chunks));
    if (each >= short_chunk) continue;
    const double iterations = share(loop.all_iterations, loop.chunks);
    const bool whole = iterations > 9.95 || std::abs(iterations - std::round(iterations)) < 0.05;
    Finding finding = at(row.region);
    finding.text = formatted(
        "%s hands out %s chunks of %.*f iteration%s, which take %s each: handing one out takes 50 to 500 ns of that, "
        "more with more threads",
        name(row.region).c_str(), format_count(loop.chunks).c_str(), whole ? 0 : 1, iterations,
        whole && iterations < 1.5 ? "" : "s", time(each).c_str());
    const std::uint64_t larger = round_figure(iterations * static_cast<double>(chunk_to_try) /
                                              static_cast<double>(std::max<std::uint64_t>(each, 1)));
    finding.advice =
        larger * 4 > loop.iterations
            ? "schedule(static): all of the loop takes too little time to be handed out in chunks that are worth it."
            : formatted(
                  "schedule(static) where iterations are alike; else larger chunks, as in schedule(dynamic, %llu), so "
                  "that one takes tens of microseconds.",
                  number(larger));
    sure(finding, "medium");
    const std::optional<std::size_t> of_loop = cell_of_work(row);
    if (!of_loop) continue;
    const std::size_t handed = split(*of_loop, loop.chunks * std::min(each, handing_out), Place::team);
    finding.text += ": at most " + time(account_.details[handed].ns) + " in all.";
    add(std::move(finding), "small-chunks", {handed});
  }
}

/// Of the parallel region that the loop most likely is in: the nearest before it in its file, else the largest.
std::optional<std::size_t> Judge::cell_of_work(const RegionRow& loop) const {
  std::optional<std::size_t> best;
  const auto distance = [&](std::size_t cell) -> std::uint32_t {
    const RegionRef parallel = account_.details[cell].parallel;
    if (parallel >= definitions_.regions.size()) return ~0u;
    const Region& region = definitions_.regions[parallel];
    return region.source_file != loop.file || region.begin_line > loop.line ? ~0u - 1 : loop.line - region.begin_line;
  };
  for (const std::size_t cell : cells_of(Place::work))
    if (!best || distance(cell) < distance(*best)) best = cell;
  return best;
}

}  // namespace tracer::report
