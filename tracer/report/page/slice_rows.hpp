// SPDX-License-Identifier: BSD-3-Clause
// Collects a trace's slices, arrows and counters in the compact form that the page decodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tracer/replay/counter_columns.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {

/// Counts slices by duration, to find from which on they fit.
class SliceHistogram final : public TimelineVisitor {
 public:
  void close(const Slice& slice) override;
  std::uint64_t total() const { return total_; }
  /// The shortest duration (ns) so that at most `limit` slices are that long.
  std::uint64_t threshold(std::uint64_t limit) const;

 private:
  static constexpr unsigned steps = 8;  ///< per power of two
  std::array<std::uint64_t, 64 * steps> counts_{};
  std::uint64_t total_ = 0;
};

/// One row per location and depth: per slice the gap since the last one's end, the duration and the
/// name, as LEB128. Slices shorter than `threshold` are put together while the gaps between are at most `gap`.
class SliceRows final : public TimelineVisitor {
 public:
  struct Row {
    std::string bytes;
    std::uint64_t count = 0, last = 0;
    std::uint64_t short_begin = 0, short_end = 0, shorts = 0;
  };
  struct Series {
    CounterColumns columns;
    double max = 0, min = 0;
  };
  using Copy = std::array<std::uint64_t, 3>;  ///< location, begin, bytes

  /// `short_name` is the name of what is put together. Times are written relative to `origin`.
  SliceRows(std::uint64_t origin, std::uint64_t threshold, std::uint64_t gap, std::uint32_t short_name,
            std::uint64_t arrows)
      : origin_{origin}, threshold_{threshold}, gap_{gap}, short_name_{short_name}, max_arrows_{arrows} {}
  void close(const Slice& slice) override;
  void arrow(const Arrow& arrow) override;
  void message(const Message& message) override {
    arrow({ArrowKind::message, message.from, message.to, message.from_time, message.to_time});
  }
  void counter(const Counter& counter) override;
  void band(const Band& band) override;
  void finish() override;

  const std::map<std::pair<LocationRef, std::uint32_t>, Row>& rows() const { return rows_; }
  const std::vector<Arrow>& arrows() const { return arrows_; }
  const std::vector<Copy>& copies() const { return copies_; }
  /// By metric and location: processes of a job have metrics in common. Of very many series the first ones.
  const std::map<std::pair<std::uint32_t, LocationRef>, Series>& series() const { return series_; }
  std::uint64_t series_left_out() const { return series_left_out_.size(); }
  /// Times relative to `origin`; when there are very many, the longest.
  const std::vector<Band>& bands() const { return bands_; }
  std::uint64_t bands_left_out() const { return bands_left_out_; }
  /// Whether a row or a band has that name.
  bool has_name(std::uint32_t name) const { return name < names_.size() && names_[name]; }
  std::uint64_t shown() const { return shown_; }
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t arrows_left_out() const { return arrows_left_out_; }

 private:
  void put(Row& row, std::uint64_t begin, std::uint64_t end, std::uint32_t name);
  void put_shorts(Row& row);
  /// How many points a series may have: fewer where there are many.
  std::size_t points_each() const;
  void note_name(std::uint32_t name) {
    if (name >= names_.size()) names_.resize(std::size_t{name} + 1);
    names_[name] = true;
  }
  std::uint64_t origin_, threshold_, gap_;
  std::uint32_t short_name_;
  std::uint64_t max_arrows_, shown_ = 0, dropped_ = 0, arrows_left_out_ = 0;
  std::map<std::pair<LocationRef, std::uint32_t>, Row> rows_;
  std::vector<Arrow> arrows_;
  std::vector<Copy> copies_;
  std::map<std::pair<std::uint32_t, LocationRef>, Series> series_;
  std::set<std::pair<std::uint32_t, LocationRef>> series_left_out_;
  std::vector<Band> bands_;
  std::uint64_t bands_left_out_ = 0;
  std::vector<bool> names_;  ///< that are in rows or bands
};

}  // namespace tracer::report
