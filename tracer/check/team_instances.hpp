// SPDX-License-Identifier: BSD-3-Clause
// Which fork opened which team, and who took part: what several rules on teams share.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "tracer/check/context.hpp"

namespace tracer::check {

/// A fork until its join. The forking thread's begin names the team.
struct ForkInstance {
  std::uint64_t location = 0;
  std::uint64_t forked = 0, joined = 0;  ///< times
  std::uint64_t position = 0;            ///< of the fork
  std::uint64_t requested = 0;
  std::uint64_t team = undefined_ref;
  bool team_open = false;  ///< the forking thread is inside
};

/// Follows forks per location; joined instances are given out when no event of the join's time can
/// come any more, because other locations' events of the same time may still be to come.
class OpenForks {
 public:
  explicit OpenForks(const CheckContext& context) : c_(context), stacks_(context.states().size()) {}

  /// The innermost fork of a location that is not joined; nullptr: none.
  ForkInstance* innermost(std::uint64_t location);
  void fork(const EventView& e);
  /// The master's own team begin binds the fork to its team.
  void team_begin(const EventView& e);
  void team_end(const EventView& e);
  /// False: there is nothing to join.
  bool join(const EventView& e);
  /// Gives out what was joined before `time`.
  void settle(std::uint64_t time, const std::function<void(const ForkInstance&)>& joined);
  const std::vector<std::vector<ForkInstance>>& open() const { return stacks_; }

 private:
  const CheckContext& c_;
  std::vector<std::vector<ForkInstance>> stacks_;
  std::vector<ForkInstance> pending_;
};

}  // namespace tracer::check
