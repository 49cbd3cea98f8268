// SPDX-License-Identifier: BSD-3-Clause
// How much time a location spent in each region at each depth of its stack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
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
  Sum& of(RegionRef region, std::uint32_t depth) {
    const auto [found, is_new] = places_.try_emplace(std::uint64_t{region} << 32 | depth, list_.size());
    if (is_new) list_.push_back({region, depth, 0, 0, 0});
    return list_[found->second];
  }
  void add(const Sum& sum) {
    Sum& to = of(sum.region, sum.depth);
    to.inclusive += sum.inclusive;
    to.own += sum.own;
    to.count += sum.count;
  }
  const std::vector<Sum>& list() const noexcept { return list_; }
  void clear() {
    list_.clear();
    places_.clear();
  }

 private:
  std::vector<Sum> list_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

/// Sums what a lane did from `begin` until `end`. `lane` is in the state of the begin, or one before it.
class Summer final : public SliceSink {
 public:
  Summer(const LaneState& state, std::uint64_t begin, std::uint64_t end, Sums& sums)
      : begin_{begin}, end_{end}, last_{begin}, sums_{sums} {
    for (const OpenRegion& one : state.open) stack_.push_back(one.region);
  }
  void opened(std::uint32_t depth, const OpenRegion& one) override {
    charge(one.begin);
    stack_.resize(depth);
    stack_.push_back(one.region);
    if (!one.continues && one.begin >= begin_ && one.begin < end_) ++sums_.of(one.region, depth).count;
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
  void charge(std::uint64_t time) {
    time = std::min(time, end_);
    if (time <= last_) return;
    if (!stack_.empty()) sums_.of(stack_.back(), static_cast<std::uint32_t>(stack_.size() - 1)).own += time - last_;
    last_ = time;
  }
  void add(std::uint32_t depth, const OpenRegion& one, std::uint64_t end) {
    const std::uint64_t from = std::max(one.begin, begin_), to = std::min(end, end_);
    if (from < to) sums_.of(one.region, depth).inclusive += to - from;
  }

  std::uint64_t begin_, end_, last_;
  std::vector<RegionRef> stack_;
  Sums& sums_;
};

}  // namespace tracer::index
