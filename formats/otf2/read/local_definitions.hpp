// SPDX-License-Identifier: BSD-3-Clause
// What a location's own .def file contains for reading its events (mapping of references, clock offsets), and what the
// events of its process depend on.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "formats/otf2/common/event_view.hpp"
#include "formats/otf2/read/matched_messages.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

struct ClockInterval {
  std::uint64_t begin = 0, end = 0;
  std::int64_t offset = 0;
  double slope = 0;
};

struct LocalDefinitions {
  static constexpr std::size_t mapped_kinds = 15;
  /// By ReferenceKind - 1. `dense` has all references of the kind that the events may have, `sparse` only some, beyond
  /// those.
  std::array<std::vector<std::uint64_t>, mapped_kinds> dense;
  std::array<NumberMap<std::uint64_t>, mapped_kinds> sparse;
  bool has_maps = false;
  std::vector<ClockInterval> clock;

  /// References that no table mentions stay as they are.
  std::uint64_t map(ReferenceKind kind, std::uint64_t ref) const {
    const auto i = static_cast<std::size_t>(kind) - 1;
    if (i >= mapped_kinds) return ref;
    if (ref < dense[i].size()) return dense[i][ref];
    const auto found = sparse[i].find(ref);
    return found == sparse[i].end() ? ref : found->second;
  }
};

/// Reads the files of one location after the other: those of a process are mostly the same, which is kept once. Any
/// thread. A file that does not exist is an empty one; throws tracer::Error when it is damaged.
class LocalDefinitionFiles {
 public:
  std::shared_ptr<const LocalDefinitions> read(const std::filesystem::path& file);

  MatchedMessages matched;

 private:
  std::mutex mutex_;
  std::vector<std::uint8_t> bytes_;  ///< of the last file
  std::shared_ptr<const LocalDefinitions> last_;
};

}  // namespace tracer::otf2
