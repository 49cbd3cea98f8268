// SPDX-License-Identifier: BSD-3-Clause
// What threads did over time: those of each process, and all of them (docs/formats/index.md, "Activity").
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/index/lane.hpp"
#include "tracer/replay/regions.hpp"

namespace tracer::index {

inline constexpr std::size_t activities = static_cast<std::size_t>(report::Activity::count_);
/// Of a row at most: more than a screen has columns is of no use.
inline constexpr std::size_t most_intervals = 1024;
/// In the place of a process: the threads of all.
inline constexpr std::size_t all_processes = ~std::size_t{0};

/// How long threads together did what, in intervals of 2^shift ns. The interval of number n begins at n * 2^shift ns.
struct ActivityRow {
  unsigned shift = 0;
  std::uint64_t first = 0;                                   ///< the number of the first interval
  std::size_t intervals = 0;                                 ///< how many
  std::array<std::vector<std::uint64_t>, activities> times;  ///< of each interval, ns; empty: no thread did that
};

/// Those intervals that have something of [from, to), put together by powers of two until they are `most` or fewer, 2
/// at least. Each is whole.
ActivityRow part_of(const ActivityRow& row, std::uint64_t from, std::uint64_t to, std::size_t most);

/// Sums up. Its intervals grow with the time that they span.
class ActivityTimes {
 public:
  /// `most` intervals, a power of two, 2 at least.
  explicit ActivityTimes(std::size_t most) : mask_{most - 1} {}
  /// A thread did that from `begin` to `end`.
  void add(report::Activity activity, std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const std::uint64_t first = std::min(first_, begin), last = std::max(last_, end - 1);
    while ((last >> shift_) - (first >> shift_) > mask_) widen();
    first_ = first;
    last_ = last;
    std::vector<std::uint64_t>& times = times_[static_cast<std::size_t>(activity)];
    if (times.empty()) times.resize(static_cast<std::size_t>(mask_) + 1);
    const std::uint64_t width = std::uint64_t{1} << shift_;
    for (std::uint64_t time = begin; time < end;) {
      const std::uint64_t part = std::min(end - time, width - (time & (width - 1)));
      times[slot(time >> shift_)] += part;
      time += part;
    }
  }
  /// Makes the intervals as wide as it takes to have `most` or fewer, 2 at least.
  void bound(std::size_t most);
  ActivityRow row() const;

 private:
  std::size_t slot(std::uint64_t number) const noexcept { return static_cast<std::size_t>(number & mask_); }
  bool is_empty() const noexcept { return first_ > last_; }
  /// Puts each two together.
  void widen();

  std::uint64_t mask_;
  unsigned shift_ = 0;
  std::uint64_t first_ = ~std::uint64_t{0}, last_ = 0;  ///< ns that have something
  /// By activity: the interval of a number is in the place of the number's lowest bits.
  std::array<std::vector<std::uint64_t>, activities> times_;
};

/// Streams of devices and virtual locations are no threads.
bool is_thread(const Location& location);

/// The rows of an archive while its events are read.
class ActivityOfProcesses {
 public:
  explicit ActivityOfProcesses(const Definitions& definitions);
  bool has_thread(LocationRef location) const { return is_thread_[location]; }
  /// None of times that were not recorded.
  bool has_activity(RegionRef region) const { return region < activity_of_.size(); }
  report::Activity activity_in(RegionRef region) const { return activity_of_[region]; }
  void add(LocationRef location, report::Activity activity, std::uint64_t begin, std::uint64_t end) {
    processes_[process_of_[location]].add(activity, begin, end);
    if (processes_.size() > 1) all_.front().add(activity, begin, end);
  }
  /// The table's bytes, for an archive of so many events. Afterwards the rows are as coarse as they are there.
  std::string table(std::uint64_t events);

 private:
  std::vector<std::uint32_t> process_of_;
  std::vector<bool> is_thread_;
  std::vector<report::Activity> activity_of_;
  std::vector<ActivityTimes> processes_;
  std::vector<ActivityTimes> all_;  ///< one: with a single process it stays empty
};

/// What a location does, change by change.
class ActivityOfLocation {
 public:
  ActivityOfLocation(ActivityOfProcesses& of, LocationRef location)
      : of_{of}, location_{location}, is_thread_{of.has_thread(location)} {}
  /// From `time` on this is the innermost slice that is open; null: none is.
  void change(std::uint64_t time, const OpenRegion* innermost) {
    if (!is_thread_) return;
    if (is_busy_) of_.add(location_, activity_, since_, time);
    since_ = time;
    is_busy_ = innermost != nullptr && of_.has_activity(innermost->region);
    if (is_busy_) activity_ = of_.activity_in(innermost->region);
  }

 private:
  ActivityOfProcesses& of_;
  LocationRef location_;
  bool is_thread_, is_busy_ = false;
  report::Activity activity_ = report::Activity::work;
  std::uint64_t since_ = 0;
};

/// Of a table's bytes the row of a process, or of all_processes. Throws tracer::Error where there is none, or the table
/// is damaged.
ActivityRow activity_of(std::string_view table, std::size_t process);

}  // namespace tracer::index
