// SPDX-License-Identifier: BSD-3-Clause
// What a trace has beside the regions of its locations, by time: what belongs together on two locations, the critical
// path, and counters (docs/formats/links.md). One pass over the trace makes the file; any window of it is read for what
// the window holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/definitions.hpp"
#include "tracer/replay/counter_columns.hpp"

namespace tracer::view {

/// The first four as ArrowKind (tracer/timeline.hpp) has them; a predecessor's end to the begin of the task that
/// depends on it; a lock's release to its acquisition by another location.
enum class LinkKind : std::uint8_t { submit, transfer, task, message, dependence, lock };
inline constexpr unsigned link_kinds = 6;

/// Times are the archive's, in ns. Clocks of two processes may differ: a message may end before it begins.
struct Link {
  LinkKind kind = LinkKind::submit;
  LocationRef from = 0, to = 0;
  std::uint64_t from_time = 0, to_time = 0;
  std::uint64_t begin() const { return from_time < to_time ? from_time : to_time; }
  std::uint64_t end() const { return from_time < to_time ? to_time : from_time; }
  bool operator==(const Link&) const = default;
};

struct PathStep {
  LocationRef location = 0;
  std::uint64_t from = 0, to = 0;
};

using report::CounterPoint;

/// A metric of a location.
struct Series {
  std::uint32_t metric = 0;
  LocationRef location = 0;
  std::uint64_t points = 0;
  double least = 0, most = 0;
};

/// A part of the file that is read at once.
struct Chunk {
  enum What : std::uint64_t { links, path, counter };
  std::uint64_t what = links, of = 0;  ///< of: the kinds of links, a bit each; the series
  std::uint64_t offset = 0, bytes = 0, count = 0, checksum = 0;
  std::uint64_t first = 0, last = 0;  ///< the least begin and the greatest end
  double low = 0, high = 0;           ///< of a counter
};

/// Writes the file from its beginning on: in one pass, with memory that does not grow with the trace but for a row per
/// some thousand links, and 4 KiB per counter of a location where there are thousands of these. Throws tracer::Error
/// where it cannot be written.
class LinksWriter {
 public:
  explicit LinksWriter(int fd) : fd_{fd} {}
  void link(const Link& link);
  void counter(std::uint32_t metric, LocationRef location, const CounterPoint& point);
  /// In order of time.
  void step(const PathStep& step);
  /// `stamp`: the archive's. `resolution`: of the path, ns.
  void finish(std::uint64_t stamp, std::uint64_t resolution);

 private:
  void write_links();
  void write_counters();
  void write_path();
  void write(Chunk chunk, const std::string& payload);
  void put(std::string_view bytes);

  int fd_;
  std::string out_;
  std::uint64_t offset_ = 0;
  std::vector<Chunk> chunks_;
  std::vector<Link> links_;
  std::vector<PathStep> steps_;
  std::vector<Series> series_;
  std::vector<std::vector<CounterPoint>> points_;  ///< by series
  std::size_t all_points_ = 0;
  std::vector<std::vector<std::uint32_t>> series_of_;  ///< by metric: series
  bool has_header_ = false;
};

/// Reads windows of the file. Any thread, several at a time. Every function throws tracer::Error where what it reads is
/// damaged.
class LinksFile {
 public:
  /// Throws tracer::Error where that is no such file, damaged, or of another archive.
  LinksFile(UniqueFd fd, std::uint64_t stamp, std::size_t locations);

  struct Query {
    std::uint64_t from = 0, to = 0;
    unsigned kinds = 0;                            ///< a bit each
    std::size_t most = 1000;                       ///< links
    std::size_t chunks = 256;                      ///< that may be read
    const std::vector<bool>* locations = nullptr;  ///< both ends on these
  };
  struct Links {
    std::vector<Link> list;  ///< the longest, in order of time
    std::uint64_t more = 0;  ///< others, among them those of chunks that were not read
    bool is_exact = true;    ///< whether all of those others have something of the window
  };
  Links links(const Query& query) const;
  /// Those that begin or end on a location within [from, to]: at most `most`, of as many parts of the file as may be
  /// read at once. `is_exact`: these are all.
  Links of_location(LocationRef location, std::uint64_t from, std::uint64_t to, std::size_t most) const;

  /// In order of time, at most about `most`: of what is shorter than a column of so many the longest.
  std::vector<PathStep> path(std::uint64_t from, std::uint64_t to, std::size_t most) const;
  std::uint64_t resolution() const { return resolution_; }

  const std::vector<Series>& series() const { return series_; }
  /// From the last point before the window to the first behind it: of each of `most` columns the point that is farthest
  /// from 0, and the last one. Of more parts of the file than are read at once those that fill most of the window are
  /// read; of each other one there is the value farthest from 0.
  std::vector<CounterPoint> counter(std::size_t series, std::uint64_t from, std::uint64_t to, std::size_t most) const;

  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string read(std::uint64_t offset, std::uint64_t bytes) const;
  std::string payload(const Chunk& chunk) const;
  void read_directory(const std::string& text);
  template <class Visit>
  bool decode(const Chunk& chunk, Visit&& visit) const;
  template <class Visit>
  void decode_counter(const Chunk& chunk, Visit&& visit) const;

  UniqueFd fd_;
  std::size_t locations_;
  std::uint64_t bytes_ = 0, resolution_ = 0;
  std::vector<Chunk> links_, path_;
  std::vector<Series> series_;
  std::vector<std::vector<Chunk>> counters_;  ///< by series
};

}  // namespace tracer::view
