// SPDX-License-Identifier: BSD-3-Clause
// Messages that are under way while a trace is replayed: those that lack an end, in the order in which MPI matches
// them, and those whose ends are not over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

struct MpiEnd {
  std::uint32_t rank = 0, partner = 0;
  LocationRef location = 0;
  RegionRef region = undefined_ref;          ///< of the call that sends it, or requests it
  std::uint64_t start = 0;                   ///< when that call began
  std::uint64_t time = 0;                    ///< of the event
  RegionRef wait_region = undefined_ref;     ///< of the call in which it is over: the same, or MPI_Wait
  std::uint64_t wait_from = 0, wait_to = 0;  ///< when that call began and ended
};

/// A call that blocked until it found a message, which another call receives.
struct MpiProbe {
  RegionRef region = undefined_ref;  ///< undefined_ref: there was none
  std::uint64_t enter = 0, leave = 0;
};

/// Both ends of a message. Its times need not be in order: clocks differ.
struct MpiMessage {
  CommRef comm = 0;
  std::uint32_t tag = 0;
  std::uint64_t bytes = 0, number = 0;  ///< number: from 1 in the order in which they began
  MpiEnd send, receive;
  std::uint64_t late_sender = 0, late_receiver = 0;  ///< ns
  MpiProbe probe{};                                  ///< by the receiver
};

/// MPI matches messages so: same communicator, sender, receiver and tag, in the order in which they were sent and the
/// receives posted. A message has a slot from its first end on until both are over. One thread.
class OpenMessages {
 public:
  enum Side : std::uint32_t { send, receive };
  static constexpr std::uint32_t none = 0xffffffffu;

  struct Key {
    CommRef comm;
    std::uint32_t sender, receiver, tag;
    bool operator==(const Key&) const = default;
  };
  struct Slot {
    MpiMessage message;
    Key key{};
    std::uint32_t call[2] = {none, none};    ///< in which the ends are over, by Side
    std::uint32_t next = none;               ///< of those that lack their other end
    std::uint64_t use = 0;                   ///< of the slot: another number for each message
    bool is_there[2] = {}, is_over[2] = {};  ///< the ends, by Side

    MpiEnd& end(Side side) { return side == send ? message.send : message.receive; }
    bool is_complete() const { return is_there[send] && is_there[receive]; }
  };

  explicit OpenMessages(std::size_t ranks) : most_{most_of(ranks)} {}
  /// Slots: a message to each other rank of a thousand, and in any case many receives of each rank.
  static constexpr std::size_t most_of(std::size_t ranks) {
    return std::max(std::clamp(ranks << 10, std::size_t{1} << 18, std::size_t{1} << 21), ranks << 6);
  }
  std::size_t most() const { return most_; }
  bool is_full() const { return free_.empty() && slots_.size() == most_; }

  Slot& operator[](std::uint32_t slot) { return slots_[slot]; }
  /// A message of which nothing is there yet; not while is_full().
  std::uint32_t add(const Key& key);
  /// The message is no longer under way.
  void remove(std::uint32_t slot);

  /// The oldest message that lacks this end, which lacks it no longer; none: there is none.
  std::uint32_t take_oldest(const Key& key, Side lacking);
  /// The message has this end, and lacks the other.
  void enqueue(std::uint32_t slot, Side side);
  /// A message that lacks an end is taken back: it is in nobody's way.
  void take_back(std::uint32_t slot);
  /// Of a message that is not looked for.
  std::uint64_t next_number() { return ++numbers_; }
  /// Of which many lack an end, more than of `key`; or that one.
  Key most_crowded(const Key& key) const;
  /// From now on none of them is looked for: one that is missing would pair all that follow wrongly. Those that lack an
  /// end are to be removed.
  std::vector<std::uint32_t> give_up(const Key& key);
  bool is_given_up(const Key& key) const { return !given_up_.empty() && given_up_.contains(key); }

  /// Messages with both ends, in the order in which they began.
  std::vector<std::uint32_t> complete() const;
  /// work(slot, side) for each message that waits for its other end; `side` is there.
  template <class Work>
  void for_each_incomplete(Work&& work) {
    for (const auto& [key, queue] : queues_)
      for (std::uint32_t at = queue.first; at != none; at = slots_[at].next) work(slots_[at], queue.side);
  }

 private:
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  /// First come, first served.
  struct Queue {
    std::uint32_t first = none, last = none, length = 0;
    Side side = send;  ///< the ends that are there
  };

  std::uint32_t waiting(const Key& key) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<Key, Queue, KeyHash> queues_;
  std::unordered_set<Key, KeyHash> given_up_;
  std::size_t most_;
  Key crowded_{};  ///< no other had a longer queue when it had its last message
  std::uint64_t numbers_ = 0, uses_ = 0;
};

}  // namespace tracer::report
