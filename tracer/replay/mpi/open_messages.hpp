// SPDX-License-Identifier: BSD-3-Clause
// Messages that are under way while a trace is replayed: those that lack an end, in the order in which MPI matches
// them, and those whose ends are not over.
#pragma once

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

/// Both ends of a message. Its times need not be in order: clocks differ.
struct MpiMessage {
  CommRef comm = 0;
  std::uint32_t tag = 0;
  std::uint64_t bytes = 0, number = 0;  ///< number: from 1 in the order in which they began
  MpiEnd send, receive;
  std::uint64_t late_sender = 0, late_receiver = 0;  ///< ns
};

/// MPI matches messages so: same communicator, sender, receiver and tag, in the order in which they were sent and the
/// receives posted. A message has a slot from its first end on until both are over. One thread.
class OpenMessages {
 public:
  enum Side : std::uint32_t { send, receive };
  static constexpr std::uint32_t none = 0xffffffffu;
  static constexpr std::size_t most = 1 << 18;  ///< slots; the rest of a pair of ranks is given up then

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
    bool is_there[2] = {}, is_over[2] = {};  ///< the ends, by Side

    MpiEnd& end(Side side) { return side == send ? message.send : message.receive; }
    bool is_complete() const { return is_there[send] && is_there[receive]; }
  };

  Slot& operator[](std::uint32_t slot) { return slots_[slot]; }
  /// A message of which nothing is there yet. none: there are too many, and `key` is given up.
  std::uint32_t add(const Key& key);
  /// The message is no longer under way.
  void remove(std::uint32_t slot);

  /// The oldest message that lacks this end, which lacks it no longer; none: there is none.
  std::uint32_t take_oldest(const Key& key, Side lacking);
  /// The message has this end, and lacks the other.
  void enqueue(std::uint32_t slot, Side side);
  /// The oldest message that lacks this end, or a new one. none: there are too many, or the key is given up.
  std::uint32_t find_or_add(const Key& key, Side side);
  /// A message that lacks an end is taken back: it is in nobody's way.
  void take_back(std::uint32_t slot);
  /// Of a message that is not looked for.
  std::uint64_t next_number() { return ++numbers_; }
  bool is_given_up(const Key& key) const { return !given_up_.empty() && given_up_.contains(key); }
  /// How often there were too many.
  std::uint64_t refused() const { return refused_; }

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
    std::uint32_t first = none, last = none;
    Side side = send;  ///< the ends that are there
  };

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<Key, Queue, KeyHash> queues_;
  std::unordered_set<Key, KeyHash> given_up_;
  std::uint64_t numbers_ = 0, refused_ = 0;
};

}  // namespace tracer::report
