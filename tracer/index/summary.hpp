// SPDX-License-Identifier: BSD-3-Clause
// How much time a location spent in each region at each depth of its stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/index/lane.hpp"

namespace tracer::index {

struct Sum {
  RegionRef region = undefined_ref;
  std::uint32_t depth = 0;
  std::uint64_t inclusive = 0;  ///< ns
  std::uint64_t own = 0;        ///< ns: of that outside of what is open inside
  std::uint64_t count = 0;      ///< Enters
};

/// Sums by region and depth, in the order in which they came. One thread.
class Sums {
 public:
  /// Where in the list a region's sum of that depth is; a new one is put there.
  std::uint32_t place_of(RegionRef region, std::uint32_t depth) {
    if (2 * list_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slot_of(region, depth);
    if (slot == 0) {
      list_.push_back({region, depth, 0, 0, 0});
      slot = static_cast<std::uint32_t>(list_.size());
    }
    return slot - 1;
  }
  Sum& at(std::uint32_t place) { return list_[place]; }
  void add(const Sum& sum) {
    Sum& to = list_[place_of(sum.region, sum.depth)];
    to.inclusive += sum.inclusive;
    to.own += sum.own;
    to.count += sum.count;
  }
  const std::vector<Sum>& list() const noexcept { return list_; }
  void clear() {
    list_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

 private:
  /// Of open addressing: the sum's place plus one, or 0 where the next one belongs.
  std::uint32_t& slot_of(RegionRef region, std::uint32_t depth) {
    const std::uint64_t hash = (std::uint64_t{region} << 32 | depth) * 0x9e3779b97f4a7c15;
    std::size_t slot = static_cast<std::size_t>(hash >> 32) & (slots_.size() - 1);
    while (slots_[slot] != 0 && (list_[slots_[slot] - 1].region != region || list_[slots_[slot] - 1].depth != depth))
      slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot];
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(16, 2 * slots_.size()), 0);
    for (std::uint32_t i = 0; i < list_.size(); ++i) slot_of(list_[i].region, list_[i].depth) = i + 1;
  }

  std::vector<Sum> list_;
  std::vector<std::uint32_t> slots_;  ///< a power of two, at most half of them taken
};

/// Sums what a lane did from `begin` until `end`. `lane` is in the state of the begin, or one before it.
class Summer final : public SliceSink {
 public:
  Summer(const LaneState& state, std::uint64_t begin, std::uint64_t end, Sums& sums)
      : begin_{begin}, end_{end}, last_{begin}, sums_{sums} {
    for (const OpenRegion& one : state.open) stack_.push_back({one.region, none});
  }
  void opened(std::uint32_t depth, const OpenRegion& one) override {
    charge(one.begin);
    stack_.resize(depth);
    stack_.push_back({one.region, none});
    if (!one.continues && one.begin >= begin_ && one.begin < end_) ++sum_at(depth).count;
  }
  void closed(std::uint32_t depth, const OpenRegion& one, std::uint64_t end) override {
    charge(end);
    add(depth, one, end);
    stack_.resize(depth);
  }
  /// What is still open is open until `time`.
  void finish(const LaneState& state, std::uint64_t time) {
    charge(time);
    for (std::size_t i = 0; i < state.open.size(); ++i) add(static_cast<std::uint32_t>(i), state.open[i], time);
  }

 private:
  struct Open {
    RegionRef region = undefined_ref;
    std::uint32_t place = none;  ///< of its sum; none: it has not been looked up
  };
  static constexpr std::uint32_t none = 0xffffffff;

  Sum& sum_at(std::size_t depth) {
    Open& open = stack_[depth];
    if (open.place == none) open.place = sums_.place_of(open.region, static_cast<std::uint32_t>(depth));
    return sums_.at(open.place);
  }
  void charge(std::uint64_t time) {
    time = std::min(time, end_);
    if (time <= last_) return;
    if (!stack_.empty()) sum_at(stack_.size() - 1).own += time - last_;
    last_ = time;
  }
  void add(std::uint32_t depth, const OpenRegion& one, std::uint64_t end) {
    const std::uint64_t from = std::max(one.begin, begin_), to = std::min(end, end_);
    if (from < to) sum_at(depth).inclusive += to - from;
  }

  std::uint64_t begin_, end_, last_;
  std::vector<Open> stack_;
  Sums& sums_;
};

}  // namespace tracer::index
