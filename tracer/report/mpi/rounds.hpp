// SPDX-License-Identifier: BSD-3-Clause
// Operations that are counted: the n-th one of each rank of a communicator is one and the same. Where it is not, a rank
// lacks one (its call failed, or its events are lost), and nobody knows since when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace tracer::report {

/// `Round` has `parts`, a vector, `what` they do, alike for all, and `done`, which is set when all have come. Keeps the
/// rounds that are not done.
template <class Round>
class MpiRounds {
 public:
  std::size_t members = 0;  ///< that are to come

  /// Of the next operation of `rank`, which does `what`; nullptr: it was given up before, or ranks are out of step.
  /// Until the next call of forget().
  Round* next(std::uint32_t rank, const decltype(Round::what)& what) {
    if (is_out_of_step_) return nullptr;
    const std::uint64_t number = next_[rank]++;
    if (number < first_) return nullptr;
    while (number - first_ >= rounds_.size()) rounds_.emplace_back();
    Round& round = rounds_[number - first_];
    if (round.parts.empty()) round.what = what;
    if (round.what == what) return &round;
    is_out_of_step_ = true;
    rounds_.clear();
    return nullptr;
  }
  /// Ranks did different things in one round: it and all behind it are none.
  bool is_out_of_step() const { return is_out_of_step_; }
  bool is_whole(const Round& round) const { return round.parts.size() == members; }
  /// What is done, and of more than `most` what is oldest. Returns how many of these lacked somebody.
  std::uint64_t forget(std::size_t most) {
    std::uint64_t lacking = 0;
    while (!rounds_.empty() && (rounds_.front().done || rounds_.size() > most)) {
      lacking += rounds_.front().done ? 0 : 1;
      rounds_.pop_front();
      ++first_;
    }
    return lacking;
  }
  /// That lack somebody still.
  std::uint64_t lacking() const {
    std::uint64_t count = 0;
    for (const Round& round : rounds_) count += round.done ? 0 : 1;
    return count;
  }

 private:
  bool is_out_of_step_ = false;
  std::uint64_t first_ = 0;  ///< number of the oldest round
  std::deque<Round> rounds_;
  std::unordered_map<std::uint32_t, std::uint64_t> next_;  ///< by rank
};

}  // namespace tracer::report
