// SPDX-License-Identifier: BSD-3-Clause
// What the threads of each process did over time, as fine as it can be drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/index/activity.hpp"
#include "tracer/index/trace_index.hpp"
#include "tracer/replay/regions.hpp"

namespace tracer::view {

/// Of one trace. One thread at a time.
class ProcessActivity {
 public:
  explicit ProcessActivity(index::TraceIndex& index);
  std::size_t processes() const { return threads_.size(); }
  /// In about `intervals`, 2 at least, that have [from, to) in them: of the index; where that is too coarse, and the
  /// threads have `blocks` blocks of usual size there or fewer, of single events. Each interval is whole. `process` as
  /// TraceIndex::activity() has it. Throws tracer::Error as that does.
  index::ActivityRow row(std::size_t process, std::uint64_t from, std::uint64_t to, std::size_t intervals,
                         std::size_t blocks) const;

 private:
  void add_thread(LocationRef thread, std::uint64_t from, std::uint64_t to, index::ActivityTimes& times) const;

  index::TraceIndex& index_;
  std::vector<std::vector<LocationRef>> threads_;  ///< by process
  std::vector<LocationRef> all_;
  std::vector<report::Activity> activities_;  ///< by region
};

}  // namespace tracer::view
