// SPDX-License-Identifier: BSD-3-Clause
// How a list of ranks is told as ranges, by the library that records MPI and by what joins a job.
#pragma once

#include <cstddef>

namespace tracer {

/// Calls take(first, last, step) for each range, in order: ranks that rise by one distance. A rank that stands alone is
/// first and last, and so is each of two that are not neighbours. A rank below 0 stands alone.
template <class Rank, class Take>
void each_range(const Rank* ranks, std::size_t size, const Take& take) {
  const auto step_at = [&](std::size_t i) -> Rank {
    const bool rises = i + 1 < size && ranks[i + 1] > ranks[i] && ranks[i] + 1 > 0;
    return rises ? ranks[i + 1] - ranks[i] : 0;
  };
  for (std::size_t i = 0; i < size;) {
    const Rank step = step_at(i);
    std::size_t last = i;
    while (step > 0 && step_at(last) == step) ++last;
    if (step > 1 && last == i + 1) last = i;
    take(ranks[i], ranks[last], step);
    i = last + 1;
  }
}

}  // namespace tracer
