// SPDX-License-Identifier: BSD-3-Clause
// The order in which a rank's receives were posted: MPI gives the messages of one sender and tag to them in this order,
// whatever the order in which the program waits for them.
//
// A receive that is over is held back while one that was posted before it is open: that one may be for the same sender
// and tag, and only its end has them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace tracer::report {

/// When a receive was posted.
struct PostedAt {
  std::uint64_t time = 0;    ///< of the call
  std::uint64_t number = 0;  ///< within the rank
  auto operator<=>(const PostedAt&) const = default;
};

class ReceiveOrder {
 public:
  /// Of all ranks together about `most_of_all` are held.
  explicit ReceiveOrder(std::size_t ranks, std::size_t most_of_all = most_held)
      : ranks_(ranks), most_(std::clamp(most_of_all / std::max<std::size_t>(ranks, 1), least_held, most_held)) {}
  /// A receive that is open from now on.
  PostedAt post(std::uint32_t rank, std::uint64_t time) {
    Rank& of = ranks_[rank];
    const PostedAt at{time, ++of.numbers};
    of.open.insert(of.open.end(), at);
    return at;
  }
  /// One that blocks: never open.
  PostedAt post_blocking(std::uint32_t rank, std::uint64_t time) { return {time, ++ranks_[rank].numbers}; }
  /// It is over, or was taken back; ready() may have more then.
  void close(std::uint32_t rank, PostedAt at) { ranks_[rank].open.erase(at); }
  bool must_be_held(std::uint32_t rank, PostedAt at) const {
    const Rank& of = ranks_[rank];
    return !of.open.empty() && *of.open.begin() < at;
  }
  /// `what` comes out of ready() in its turn.
  void hold(std::uint32_t rank, PostedAt at, std::uint32_t what);
  /// Takes the next that need not be held any longer. False: there is none.
  bool ready(std::uint32_t rank, std::uint32_t& what);
  /// No receive that is open now comes to its end any more.
  void close_all() {
    for (Rank& rank : ranks_) rank.open.clear();
  }

  /// A receive that stays open (many programs have one for a message that ends them) holds back no more than this.
  static constexpr std::size_t least_held = 16, most_held = 4096;

 private:
  struct Rank {
    std::uint64_t numbers = 0;
    std::set<PostedAt> open;
    std::map<PostedAt, std::uint32_t> held;
  };
  std::vector<Rank> ranks_;
  std::size_t most_;  ///< of a rank
};

inline void ReceiveOrder::hold(std::uint32_t rank, PostedAt at, std::uint32_t what) {
  Rank& of = ranks_[rank];
  of.held.emplace(at, what);
  while (of.held.size() > most_ && !of.open.empty() && *of.open.begin() < of.held.begin()->first)
    of.open.erase(of.open.begin());
}

inline bool ReceiveOrder::ready(std::uint32_t rank, std::uint32_t& what) {
  Rank& of = ranks_[rank];
  if (of.held.empty() || must_be_held(rank, of.held.begin()->first)) return false;
  what = of.held.begin()->second;
  of.held.erase(of.held.begin());
  return true;
}

}  // namespace tracer::report
