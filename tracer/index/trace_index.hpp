// SPDX-License-Identifier: BSD-3-Clause
// An archive and its index: what any window of it holds, for what that window costs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/otf2/read/event_source.hpp"
#include "tracer/index/activity.hpp"
#include "tracer/index/contents.hpp"
#include "tracer/index/file_facts.hpp"
#include "tracer/index/store.hpp"

namespace tracer::index {

/// A time in which a region is open on a location, and runs: from Enter or a switch to its task, to Leave or a switch
/// from it.
struct Slice {
  std::uint32_t depth = 0;
  RegionRef region = undefined_ref;
  std::uint64_t begin = 0, end = 0;
  bool continues = false;
};

/// Blocks that follow each other, and what was done in them.
struct Group {
  std::uint64_t begin = 0, end = 0, events = 0;
  std::vector<Sum> sums;
};

/// One thread at a time. Times are nanoseconds on the archive's clock. Every function throws tracer::Error where the
/// archive or the index is damaged, or the location's events have been written since the archive was opened.
class TraceIndex {
 public:
  TraceIndex(std::unique_ptr<otf2::PositionedSource> source, std::shared_ptr<const Contents> contents);

  otf2::PositionedSource& source() { return *source_; }
  const Definitions& definitions() const { return source_->definitions(); }
  const Header& header() const { return contents_->header(); }
  const LocationIndex& location(LocationRef ref) const { return contents_->locations().at(ref); }
  std::size_t bytes() const { return contents_->bytes(); }

  /// How many blocks have something of the window.
  std::size_t blocks_within(LocationRef ref, std::uint64_t from, std::uint64_t to) const;
  /// How many events these blocks have.
  std::uint64_t events_within(LocationRef ref, std::uint64_t from, std::uint64_t to) const;
  /// Every slice that has something of [from, to], whole; those of a depth in the order of time.
  std::vector<Slice> slices(LocationRef ref, std::uint64_t from, std::uint64_t to);
  /// At most `most` groups of blocks that have the window in them.
  std::vector<Group> groups(LocationRef ref, std::uint64_t from, std::uint64_t to, std::size_t most) const;
  /// What was done in [from, to): exactly that.
  void add_sums(LocationRef ref, std::uint64_t from, std::uint64_t to, Sums& sums);
  /// What is innermost in [from, to), piece by piece, in order of time.
  using VisitInnermost = std::function<void(RegionRef, std::uint64_t begin, std::uint64_t end)>;
  void innermost(LocationRef ref, std::uint64_t from, std::uint64_t to, const VisitInnermost& visit);
  /// What the threads of a process, or those of all_processes, did over time. Processes are numbered as
  /// report::process_groups() has them; without any, all are of the first.
  ActivityRow activity(std::size_t process) const {
    return activity_of(contents_->table(TableKind::activity), process);
  }
  struct Found {
    LocationRef location = undefined_ref;
    RegionRef region = undefined_ref;
    std::uint64_t time = 0;
    std::uint32_t depth = 0;
  };
  /// What is looked for: regions that are entered after `after` and before `before`, and are open until they end, or
  /// their task is switched from, for `least` ns or more.
  struct Sought {
    const std::vector<bool>& regions;
    const std::vector<bool>& locations;
    std::uint64_t after = 0, before = ~std::uint64_t{0}, least = 0;
  };
  /// The first of them, and the last.
  std::optional<Found> next(const Sought& what);
  std::optional<Found> previous(const Sought& what);
  /// The events of a location from the first one at `from` on, as long as `visit` returns true.
  using Visit = std::function<bool(const Event&, std::span<const EventAttribute>)>;
  void events(LocationRef ref, std::uint64_t from, const Visit& visit);
  /// The last block that begins at `time` or before it; 0 where there is none.
  static std::size_t block_at(const LocationIndex& of, std::uint64_t time);

 private:
  std::filesystem::path event_file(LocationRef ref) const;
  void require_same_events(LocationRef ref) const;
  std::string_view payload(const LocationIndex& of, std::size_t block) const;
  std::string_view node(const LocationIndex& of, std::size_t level, std::size_t index) const;
  void add_blocks(const LocationIndex& of, std::size_t from, std::size_t to, Sums& sums) const;
  using See = std::function<void(const LaneState&)>;
  /// The blocks from `first` to `last`; `begin` and `end` see the state before and behind them.
  void replay(LocationRef ref, std::size_t first, std::size_t last, SliceSink& sink, const See& begin, const See& end);
  std::uint64_t end_of(LocationRef ref, std::size_t block, std::size_t depth, const OpenRegion& one);
  bool has_any(std::string_view payload, const std::vector<bool>& regions) const;
  std::optional<Found> one_in(LocationRef ref, std::size_t block, const Sought& what, bool is_last);

  std::unique_ptr<otf2::PositionedSource> source_;
  std::shared_ptr<const Contents> contents_;
  std::vector<FileFacts> files_;  ///< of the locations' events, when the archive was opened
};

}  // namespace tracer::index
