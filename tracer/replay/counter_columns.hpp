// SPDX-License-Identifier: BSD-3-Clause
// What of a counter can be drawn: of many points those that a picture's columns show.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tracer::report {

struct CounterPoint {
  std::uint64_t time = 0;
  double value = 0;
};

/// Of each column of time the point that is farthest from 0 and, where its value is another, the last one: that value
/// stands until the next point. Points come in order of time.
class CounterColumns {
 public:
  CounterColumns() = default;
  /// `width`: of a column, ns; not 0.
  explicit CounterColumns(std::uint64_t width) : width_{width} {}
  void add(CounterPoint point) {
    if (!points_.empty()) point.time = std::max(point.time, points_.back().time);  // a damaged trace's time goes back
    const std::uint64_t column = point.time / width_;
    if (points_.empty() || column != column_) {
      column_ = column;
      farthest_ = points_.size();
      points_.push_back(point);
      return;
    }
    points_.resize(farthest_ + 1);
    CounterPoint& farthest = points_.back();
    if (std::abs(point.value) > std::abs(farthest.value))
      farthest = point;
    else if (point.value != farthest.value)
      points_.push_back(point);
  }
  /// Makes columns wider until there are fewer than `most` points; `most` is more than 4.
  void thin(std::size_t most) {
    while (points_.size() >= most) {
      width_ *= 2;
      for (const CounterPoint& point : std::exchange(points_, {})) add(point);
    }
  }
  const std::vector<CounterPoint>& points() const { return points_; }

 private:
  std::uint64_t width_ = 1;
  std::uint64_t column_ = 0;  ///< the last one
  std::size_t farthest_ = 0;  ///< where in the list that column's is
  std::vector<CounterPoint> points_;
};

}  // namespace tracer::report
