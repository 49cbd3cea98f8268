// SPDX-License-Identifier: BSD-3-Clause
// Encodes slices for the page and thins out what nobody could see.
#include "tracer/report/page/slice_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tracer/leb128.hpp"

namespace tracer::report {
namespace {

constexpr std::size_t max_copies = 50'000, max_points = 20'000, most_points = 200'000, most_series = 256;

}  // namespace

void SliceHistogram::close(const Slice& slice) {
  ++total_;
  const std::uint64_t ns = slice.end - slice.begin;
  if (ns == 0) return;
  const unsigned power = static_cast<unsigned>(std::bit_width(ns)) - 1;
  const std::uint64_t rest = ns - (std::uint64_t{1} << power);
  ++counts_[power * steps + (power >= 3 ? rest >> (power - 3) : 0)];
}

std::uint64_t SliceHistogram::threshold(std::uint64_t limit) const {
  if (total_ <= limit) return 0;
  std::uint64_t longer = 0;
  for (std::size_t i = counts_.size(); i-- > 0;) {
    longer += counts_[i];
    if (longer <= limit) continue;
    const unsigned power = static_cast<unsigned>(i / steps);
    const std::uint64_t base = std::uint64_t{1} << power;
    return base + (power >= 3 ? (i % steps + 1) << (power - 3) : base);
  }
  return 1;
}

void SliceRows::put(Row& row, std::uint64_t begin, std::uint64_t end, std::uint32_t name) {
  begin = std::max(begin, row.last);  // damaged traces may overlap
  end = std::max(begin, end);
  put_leb128(row.bytes, begin - row.last);
  put_leb128(row.bytes, end - begin);
  put_leb128(row.bytes, name);
  note_name(name);
  row.last = end;
  ++row.count;
}

void SliceRows::put_shorts(Row& row) {
  if (row.shorts != 0) put(row, row.short_begin, row.short_end, short_name_);
  row.shorts = 0;
}

void SliceRows::close(const Slice& slice) {
  Row& row = rows_[{slice.location, slice.depth}];
  const std::uint64_t begin = slice.begin - std::min(origin_, slice.begin),
                      end = slice.end - std::min(origin_, slice.end);
  if (slice.bytes != 0 && copies_.size() < max_copies) copies_.push_back({slice.location, begin, slice.bytes});
  if (end - begin >= threshold_) {
    put_shorts(row);
    put(row, begin, end, slice.name);
    ++shown_;
    return;
  }
  ++dropped_;
  if (row.shorts != 0 && begin - std::min(begin, row.short_end) > gap_) put_shorts(row);
  if (row.shorts++ == 0) row.short_begin = begin;
  row.short_end = end;
}

void SliceRows::arrow(const Arrow& arrow) {
  // Those to devices are few and wanted; tasks and messages get what is left.
  const bool is_many = arrow.kind == ArrowKind::task || arrow.kind == ArrowKind::message;
  if (arrows_.size() >= (is_many ? max_arrows_ / 2 : max_arrows_)) {
    ++arrows_left_out_;
    return;
  }
  arrows_.push_back(arrow);
  arrows_.back().from_time -= std::min(origin_, arrow.from_time);
  arrows_.back().to_time -= std::min(origin_, arrow.to_time);
}

std::size_t SliceRows::points_each() const {
  return std::min(max_points, most_points / std::max<std::size_t>(1, series_.size()));
}

void SliceRows::counter(const Counter& counter) {
  const double value = number_of(counter);
  if (!std::isfinite(value)) return;
  const std::pair key{counter.metric, counter.location};
  if (series_.size() >= most_series && series_.count(key) == 0) {
    series_left_out_.insert(key);
    return;
  }
  Series& series = series_[key];
  series.max = std::max(series.max, value);
  series.min = std::min(series.min, value);
  series.columns.add({counter.time - std::min(origin_, counter.time), value});
  series.columns.thin(points_each());
}

void SliceRows::band(const Band& band) {
  constexpr std::size_t most_bands = 20'000;
  bands_.push_back(band);
  note_name(band.region);
  bands_.back().begin -= std::min(origin_, band.begin);
  bands_.back().end -= std::min(origin_, band.end);
  if (bands_.size() < 2 * most_bands) return;
  std::nth_element(bands_.begin(), bands_.begin() + most_bands, bands_.end(),
                   [](const Band& a, const Band& b) { return a.end - a.begin > b.end - b.begin; });
  bands_left_out_ += bands_.size() - most_bands;
  bands_.resize(most_bands);
}

void SliceRows::finish() {
  for (auto& [key, row] : rows_) put_shorts(row);
  for (auto& [key, series] : series_) series.columns.thin(points_each());
}

}  // namespace tracer::report
