// SPDX-License-Identifier: BSD-3-Clause
// Who held a lock, and when: what a thread that waited for it waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// The last holds of one lock. Memory is bounded: of a wait that outlasts `most` of them the last ones stand for all.
class Holds {
 public:
  static constexpr std::size_t most = 64;
  /// Nobody waits that came before: what was held until now is of no use to anybody.
  void forget();
  void acquired(RegionRef by, std::uint64_t time);
  void released(std::uint64_t time);
  /// The parts of `ns`, waited from `from` to `to`, that each region held the lock; the longest first. What nobody
  /// held has its share in these. Of a lock that nobody held: undefined_ref alone.
  std::vector<std::pair<RegionRef, std::uint64_t>> during(std::uint64_t from, std::uint64_t to, std::uint64_t ns) const;

 private:
  struct Hold {
    RegionRef by = undefined_ref;
    std::uint64_t from = 0, to = 0;  ///< to: 0 as long as it lasts
  };
  std::vector<Hold> holds_;  ///< a ring from `next_` on, once there are `most`
  std::size_t next_ = 0;
};

}  // namespace tracer::report
