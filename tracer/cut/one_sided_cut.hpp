// SPDX-License-Identifier: BSD-3-Clause
// What of MPI's one-sided communication a part has: of operations and locks that began before it, it has no end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "tracer/event.hpp"

namespace tracer::report {

class OneSidedCut {
 public:
  /// An event of the part, of a process: whether the part has the beginning that it ends, tests or acquires. True for
  /// all that needs none.
  bool has_beginning(std::uint32_t process, const Event& event);

 private:
  using OnWindow = std::tuple<std::uint32_t, std::uint16_t, std::uint64_t>;  ///< process, window, id or remote rank
  struct Lock {
    std::uint64_t requested = 0, acquired = 0;
  };
  static constexpr std::size_t most_here = 1 << 16;
  bool is_complete_here(const OnWindow& operation);
  bool follow_lock(const OnWindow& which, EventType type);
  void forget(std::uint32_t process, std::uint16_t window);

  std::set<OnWindow> operations_;  ///< begun in the part, by matching id
  std::deque<OnWindow> here_;      ///< of them, complete here
  std::map<OnWindow, Lock> locks_;
};

}  // namespace tracer::report
