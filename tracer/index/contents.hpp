// SPDX-License-Identifier: BSD-3-Clause
// A whole index, as its builder makes it and as it stands in its file (docs/formats/index.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/base/budget.hpp"
#include "tracer/index/block.hpp"
#include "tracer/index/table_builder.hpp"

namespace tracer::index {

inline constexpr std::string_view magic = "TRCINDEX";
inline constexpr std::uint64_t format_version = 4;
inline constexpr std::size_t header_words = 10, directory_words = 8, table_words = 3;
/// So many nodes of a level are one of the next.
inline constexpr std::size_t fan_out = 16;

/// What is found of one location: its blocks' places, per level of the tree the ends of its nodes' payloads, and the
/// payloads.
struct LocationIndex {
  std::uint64_t events = 0, blocks = 0, first = 0, last = 0;
  std::uint32_t depth = 0;                 ///< of its stack at most
  std::vector<std::uint64_t> level_nodes;  ///< of level 1 and up
  std::string_view places;                 ///< block_place_bytes each, and one more at the end
  std::string_view nodes;                  ///< eight bytes each, level after level, and one more at the end
  std::string_view payloads;
};

struct Header {
  std::uint64_t stamp = 0;  ///< of the archive
  std::uint64_t events = 0, first = 0, last = 0;
  std::uint64_t locations = 0;
};

/// Owns the bytes of the file and the places in it. Everything that others depend on is checked: places lie within the
/// file and in order.
class Contents {
 public:
  /// Throws tracer::Error where that is no index of this version, or a damaged one.
  explicit Contents(std::string bytes);
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  const Header& header() const noexcept { return header_; }
  const std::vector<LocationIndex>& locations() const noexcept { return locations_; }
  /// Its bytes; empty where there is none.
  std::string_view table(TableKind kind) const noexcept;
  std::size_t bytes() const noexcept { return bytes_.size(); }
  std::string_view text() const noexcept { return bytes_; }

 private:
  /// `room`: what the sections of this and of the other locations have of the file.
  LocationIndex location_at(std::string_view directory, std::size_t index, Budget& room) const;
  void find_tables(std::string_view list);

  std::string bytes_;
  Header header_;
  std::vector<LocationIndex> locations_;
  std::vector<std::pair<std::uint64_t, std::string_view>> tables_;  ///< by the numbers of their kinds
};

}  // namespace tracer::index
