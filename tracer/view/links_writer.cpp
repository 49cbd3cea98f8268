// SPDX-License-Identifier: BSD-3-Clause
// See links.hpp. Links come about in the order of their ends, messages in none: some hundred thousand of them are
// sorted together, and those of a like duration are in chunks of their own, so that a few long ones do not make a chunk
// long.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tracer/base/files/checksum.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"
#include "tracer/view/links_format.hpp"

namespace tracer::view {
namespace {

constexpr std::size_t links_of_chunk = 2048, links_together = 1 << 18, steps_of_chunk = 4096, points_of_chunk = 1024,
                      points_together = 1 << 20;
/// On average, before they are written: a chunk's row in the directory takes little beside so many points.
constexpr std::size_t points_of_series = 256;

/// Of durations that differ by a factor of 16 at most.
int class_of(const Link& link) {
  return static_cast<int>(std::bit_width(link.end() - link.begin())) / 4;
}

}  // namespace

void LinksWriter::put(std::string_view bytes) {
  if (!write_whole(fd_, bytes)) throw Error{system_message("cannot write the links", errno)};
}

void LinksWriter::write(Chunk chunk, const std::string& payload) {
  constexpr std::size_t at_a_time = 1 << 20;
  if (!has_header_) {
    has_header_ = true;
    out_.assign(8 * links_header_words, '\0');
    offset_ = out_.size();
  }
  chunk.offset = offset_;
  chunk.bytes = payload.size();
  chunk.checksum = checksum(payload.data(), payload.size());
  chunks_.push_back(chunk);
  offset_ += payload.size();
  out_ += payload;
  if (out_.size() < at_a_time) return;
  put(out_);
  out_.clear();
}

void LinksWriter::link(const Link& link) {
  links_.push_back(link);
  if (links_.size() >= links_together) write_links();
}

void LinksWriter::write_links() {
  std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) {
    return std::make_tuple(class_of(a), a.begin(), a.end(), a.from, a.to) <
           std::make_tuple(class_of(b), b.begin(), b.end(), b.from, b.to);
  });
  std::string payload;
  for (std::size_t i = 0; i < links_.size();) {
    Chunk chunk;
    const int own = class_of(links_[i]);
    chunk.first = links_[i].begin();
    std::uint64_t time = 0;
    payload.clear();
    for (; i < links_.size() && chunk.count < links_of_chunk && class_of(links_[i]) == own; ++i, ++chunk.count) {
      const Link& one = links_[i];
      chunk.of |= std::uint64_t{1} << static_cast<unsigned>(one.kind);
      chunk.last = std::max(chunk.last, one.end());
      const bool is_reversed = one.to_time < one.from_time;
      put_number(payload, one.begin() - time);
      put_number(payload, one.end() - one.begin());
      put_number(payload,
                 std::uint64_t{one.from} << 4 | static_cast<unsigned>(one.kind) << 1 | (is_reversed ? 1u : 0u));
      put_number(payload, folded(std::uint64_t{one.to} - std::uint64_t{one.from}));
      time = one.begin();
    }
    write(chunk, payload);
  }
  links_.clear();
}

void LinksWriter::step(const PathStep& step) {
  steps_.push_back(step);
  if (steps_.size() >= steps_of_chunk) write_path();
}

void LinksWriter::write_path() {
  if (steps_.empty()) return;
  Chunk chunk;
  chunk.what = Chunk::path;
  chunk.count = steps_.size();
  chunk.first = steps_.front().from;
  std::string payload;
  std::uint64_t time = 0;
  for (const PathStep& one : steps_) {
    put_number(payload, folded(one.from - time));
    put_number(payload, one.to - std::min(one.to, one.from));
    put_number(payload, one.location);
    time = one.to;
    chunk.first = std::min(chunk.first, one.from);
    chunk.last = std::max(chunk.last, one.to);
  }
  write(chunk, payload);
  steps_.clear();
}

void LinksWriter::counter(std::uint32_t metric, LocationRef location, const CounterPoint& point) {
  if (metric >= series_of_.size()) series_of_.resize(std::size_t{metric} + 1);
  std::vector<std::uint32_t>& of = series_of_[metric];
  if (location >= of.size()) of.resize(std::size_t{location} + 1, undefined_ref);
  if (of[location] == undefined_ref) {
    of[location] = static_cast<std::uint32_t>(series_.size());
    series_.push_back({metric, location, 0, point.value, point.value});
    points_.emplace_back();
  }
  Series& series = series_[of[location]];
  ++series.points;
  series.least = std::min(series.least, point.value);
  series.most = std::max(series.most, point.value);
  points_[of[location]].push_back(point);
  if (++all_points_ >= std::max(points_together, points_of_series * series_.size())) write_counters();
}

void LinksWriter::write_counters() {
  std::string payload;
  for (std::size_t number = 0; number < points_.size(); ++number) {
    const std::vector<CounterPoint>& of = points_[number];
    for (std::size_t i = 0; i < of.size();) {
      Chunk chunk;
      chunk.what = Chunk::counter;
      chunk.of = number;
      chunk.first = of[i].time;
      chunk.low = chunk.high = of[i].value;
      std::uint64_t time = 0;
      payload.clear();
      for (; i < of.size() && chunk.count < points_of_chunk; ++i, ++chunk.count) {
        put_number(payload, folded(of[i].time - time));
        put_word(payload, std::bit_cast<std::uint64_t>(of[i].value));
        time = of[i].time;
        chunk.last = std::max(chunk.last, of[i].time);
        chunk.low = std::min(chunk.low, of[i].value);
        chunk.high = std::max(chunk.high, of[i].value);
      }
      write(chunk, payload);
    }
    points_[number] = {};
  }
  all_points_ = 0;
}

void LinksWriter::finish(std::uint64_t stamp, std::uint64_t resolution) {
  write_links();
  write_path();
  write_counters();
  if (!has_header_) write({}, "");  // an empty chunk: there is a header now
  std::string directory;
  put_word(directory, chunks_.size());
  for (const Chunk& chunk : chunks_) put_chunk(directory, chunk);
  put_word(directory, series_.size());
  for (const Series& one : series_)
    for (const std::uint64_t word : {std::uint64_t{one.metric}, std::uint64_t{one.location}, one.points,
                                     std::bit_cast<std::uint64_t>(one.least), std::bit_cast<std::uint64_t>(one.most)})
      put_word(directory, word);
  std::string header{links_magic};
  for (const std::uint64_t word : {links_version, std::uint64_t{offset_ + directory.size()}, stamp, offset_,
                                   std::uint64_t{directory.size()}, resolution})
    put_word(header, word);
  put_word(header, checksum(header.data(), header.size(), checksum(directory.data(), directory.size())));
  put(out_);
  put(directory);
  if (::pwrite(fd_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
    throw Error{system_message("cannot write the links", errno)};
}

}  // namespace tracer::view
