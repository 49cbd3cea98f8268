// SPDX-License-Identifier: BSD-3-Clause
// The order in which a lock went from thread to thread.
#include <algorithm>
#include <queue>
#include <unordered_map>

#include "tracer/translate/link.hpp"

namespace tracer::translate {
namespace {

enum Kind : std::uint8_t { acquired = 0, released = 1, nested = 2, nested_release = 3 };

/// Dense numbers for addresses; threads use few locks in turn, so most are found without hashing.
class LockNumbers {
 public:
  std::uint32_t of(std::uint64_t address) {
    Recent& recent = recent_[(address >> 3) % recent_.size()];
    if (recent.address != address || recent.number == none)
      recent = {address, numbers_.emplace(address, static_cast<std::uint32_t>(numbers_.size())).first->second};
    return recent.number;
  }
  std::size_t size() const noexcept { return numbers_.size(); }

 private:
  struct Recent {
    std::uint64_t address = 0;
    std::uint32_t number = none;
  };
  std::array<Recent, 64> recent_{};
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

std::size_t number_locks(Tables& tables) {
  LockNumbers numbers;
  for (ChannelScan& scan : tables.channels) {
    for (std::size_t i = 0; i < scan.locks.size(); ++i) scan.locks[i].lock = numbers.of(scan.lock_addresses[i]);
    std::vector<std::uint64_t>().swap(scan.lock_addresses);
  }
  return numbers.size();
}

/// A channel's next acquisition.
struct Acquisition {
  Ticks time;
  ChannelId channel;
  std::uint32_t operation;
  bool operator>(const Acquisition& other) const noexcept {
    return time != other.time ? time > other.time : channel > other.channel;
  }
};

/// The acquisitions of all channels, oldest first: each channel has its own in order.
class Acquisitions {
 public:
  explicit Acquisitions(const Tables& tables) : tables_(tables) {
    for (ChannelId c = 0; c < tables.channels.size(); ++c) push(c, 0);
  }
  bool next(Acquisition& out) {
    if (queue_.empty()) return false;
    out = queue_.top();
    queue_.pop();
    push(out.channel, out.operation + 1);
    return true;
  }

 private:
  void push(ChannelId channel, std::uint32_t operation) {
    const ChannelScan& scan = tables_.channels[channel];
    while (operation < scan.locks.size() && scan.lock_kinds[operation] != acquired) ++operation;
    if (operation < scan.locks.size()) queue_.push({scan.locks[operation].time, channel, operation});
  }

  const Tables& tables_;
  std::priority_queue<Acquisition, std::vector<Acquisition>, std::greater<>> queue_;
};

/// Numbers the acquisitions of each lock; the result says of each when the next one began, by which it must have ended.
std::vector<std::vector<Ticks>> order_acquisitions(Tables& tables, std::size_t locks) {
  std::vector<std::vector<Ticks>> until(tables.channels.size());
  for (ChannelId c = 0; c < tables.channels.size(); ++c) until[c].resize(tables.channels[c].locks.size(), never);
  struct Last {
    std::uint32_t order = 0;
    ChannelId channel = 0;
    std::uint32_t operation = 0;
  };
  std::vector<Last> last(locks);
  Acquisitions all(tables);
  for (Acquisition a; all.next(a);) {
    LockOperation& op = tables.channels[a.channel].locks[a.operation];
    Last& before = last[op.lock];
    if (before.order != 0) until[before.channel][before.operation] = a.time;
    op.order = before.order + 1;
    before = {op.order, a.channel, a.operation};
  }
  return until;
}

}  // namespace

void link_locks(Tables& tables) {
  const std::size_t locks = number_locks(tables);
  const auto until = order_acquisitions(tables, locks);
  struct Held {
    ChannelId channel = none;  ///< whose entry this is: nothing is cleared from channel to channel
    std::uint32_t operation = none;
  };
  std::vector<Held> held(locks);
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    ChannelScan& scan = tables.channels[c];
    for (std::uint32_t i = 0; i < scan.locks.size(); ++i) {
      LockOperation& op = scan.locks[i];
      Held& mine = held[op.lock];
      if (scan.lock_kinds[i] == acquired) {
        mine = {c, i};
        continue;
      }
      if (mine.channel != c || mine.operation == none) continue;  // acquired by another thread: order stays 0
      op.order = scan.locks[mine.operation].order;
      op.time = std::min(op.time, until[c][mine.operation]);
      if (scan.lock_kinds[i] == released) mine.operation = none;
    }
  }
}

}  // namespace tracer::translate
