// SPDX-License-Identifier: BSD-3-Clause
// Copies of devices that go on. Several may share a matching id: one completion ends them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/own_number.hpp"

namespace tracer::report {

/// One-sided operations of streams are copies; those of threads are messages, as SHMEM's.
inline bool has_copies(const Location& location) noexcept {
  return location.kind == LocationKind::accelerator_stream;
}

/// `Copy`: what is remembered of one.
template <class Copy>
class OpenCopies {
 public:
  void begin(LocationRef location, std::uint64_t id, Copy copy) { open_[{location, id}].push_back(std::move(copy)); }
  /// How many of this id are open.
  std::size_t count(LocationRef location, std::uint64_t id) const {
    const auto found = open_.find({location, id});
    return found == open_.end() ? 0 : found->second.size();
  }
  /// Calls `body` with each that a completion ends, the last that began first, and forgets them.
  template <class Body>
  void end(LocationRef location, std::uint64_t id, Body&& body) {
    const auto found = open_.find({location, id});
    if (found == open_.end()) return;
    std::vector<Copy> ended = std::move(found->second);
    open_.erase(found);
    for (auto copy = ended.rbegin(); copy != ended.rend(); ++copy) body(*copy);
  }
  /// Likewise with all that are open.
  template <class Body>
  void end_all(Body&& body) {
    for (auto& [id, copies] : open_)
      for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) body(*copy);
    open_.clear();
  }

 private:
  std::unordered_map<OwnNumber, std::vector<Copy>, OwnNumber::Hash> open_;  ///< by location and matching id
};

}  // namespace tracer::report
