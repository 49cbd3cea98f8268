// SPDX-License-Identifier: BSD-3-Clause
// The order in which a lock went from thread to thread.
#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

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

/// What the operations of all channels are to each other.
class LockLinker {
 public:
  explicit LockLinker(Tables& tables) : tables_(tables), locks_(number_locks(tables)) {}
  void run();

 private:
  /// Of a channel, by operation. There are many.
  struct Operations {
    std::vector<Ticks> until;            ///< of an acquisition: when it must have ended
    std::vector<std::uint32_t> partner;  ///< an acquisition's release, or elsewhere; of all else the acquisition it belongs to
  };
  static constexpr std::uint32_t elsewhere = none - 1;
  static constexpr Ticks most_early = 4096;  ///< a microsecond or more; what is further off has other reasons
  bool is_released_here(ChannelId channel, std::uint32_t acquisition) const {
    return operations_[channel].partner[acquisition] < elsewhere;
  }
  void pair(ChannelId channel);
  void order();
  void leave_out_paused();
  Ticks released_after(ChannelId channel, std::uint32_t acquisition) const;
  void release_elsewhere();
  void number(ChannelId channel);
  Ticks end_of(ChannelId channel, std::uint32_t acquisition) const;

  struct Held {
    ChannelId channel = none;  ///< whose entry this is: nothing is cleared from channel to channel
    std::uint32_t operation = none;
  };
  Tables& tables_;
  std::size_t locks_;
  std::vector<Operations> operations_;
  std::vector<Held> held_;
  std::vector<std::pair<Held, Held>> pairs_;  ///< acquisitions, and their releases by other threads
};

// Within a channel: an acquisition, what nests in it, and its release. A nested acquisition without
// its release counts for nothing.
void LockLinker::pair(ChannelId channel) {
  const ChannelScan& scan = tables_.channels[channel];
  auto& ops = operations_[channel];
  std::vector<std::uint32_t> nested_open;
  for (std::uint32_t i = 0; i < scan.locks.size(); ++i) {
    Held& mine = held_[scan.locks[i].lock];
    const bool is_held = mine.channel == channel && mine.operation != none;
    switch (scan.lock_kinds[i]) {
      case acquired:
        if (is_held) ops.until[mine.operation] = scan.locks[i].time;
        mine = {channel, i};
        break;
      case nested:
        if (is_held) nested_open.push_back(i);
        break;
      case nested_release: {
        const auto begin = std::find_if(nested_open.rbegin(), nested_open.rend(),
                                        [&](std::uint32_t n) { return scan.locks[n].lock == scan.locks[i].lock && n > mine.operation; });
        if (!is_held || begin == nested_open.rend()) break;
        ops.partner[i] = ops.partner[*begin] = mine.operation;
        nested_open.erase(std::next(begin).base());
        break;
      }
      default:
        if (!is_held) break;
        ops.partner[i] = mine.operation;
        ops.partner[mine.operation] = i;
        mine.operation = none;
        if (!nested_open.empty()) std::erase_if(nested_open, [&](std::uint32_t n) { return scan.locks[n].lock == scan.locks[i].lock; });
    }
  }
}

Ticks LockLinker::end_of(ChannelId channel, std::uint32_t acquisition) const {
  const Operations& ops = operations_[channel];
  const bool here = is_released_here(channel, acquisition);
  return std::min(ops.until[acquisition], here ? tables_.channels[channel].locks[ops.partner[acquisition]].time : never);
}

// Acquisitions are numbered in the order of time, which is when the one before must have ended. Where two processors contend
// for a lock the clock of the next one's acquisition may be read some 50 ns before it has it: it did so after all that the one
// before did before its release.
void LockLinker::order() {
  struct Last {
    std::uint32_t order = 0;
    ChannelId channel = none;
    std::uint32_t operation = 0;
  };
  std::vector<Last> last(locks_);
  Acquisitions all(tables_);
  for (Acquisition a; all.next(a);) {
    LockOperation& op = tables_.channels[a.channel].locks[a.operation];
    Last& before = last[op.lock];
    op.order = before.order + 1;
    if (before.channel != none) {
      op.time = std::max(op.time, tables_.channels[before.channel].locks[before.operation].time);
      const Ticks released = released_after(before.channel, before.operation);
      if (released > op.time && released - op.time < most_early) op.time = released;
      auto& until = operations_[before.channel].until[before.operation];
      until = std::min(until, op.time);
    }
    before = {op.order, a.channel, a.operation};
  }
}

/// The time of the last that its thread did before it released the lock; 0: unknown.
Ticks LockLinker::released_after(ChannelId channel, std::uint32_t acquisition) const {
  if (!is_released_here(channel, acquisition)) return 0;
  const LockOperation& release = tables_.channels[channel].locks[operations_[channel].partner[acquisition]];
  return release.time - std::min<Ticks>(release.order, release.time);
}

// An acquisition that is over within a pause is in no trace, and has no number.
void LockLinker::leave_out_paused() {
  std::vector<std::uint32_t> last(locks_);
  Acquisitions all(tables_);
  for (Acquisition a; all.next(a);) {
    LockOperation& op = tables_.channels[a.channel].locks[a.operation];
    op.order = tables_.paused(op.time, std::min(end_of(a.channel, a.operation), tables_.end)) ? 0 : ++last[op.lock];
  }
}

// A lock may be released by another thread than acquired it: an untied task goes on elsewhere, or the program is wrong.
// Not one that its own thread acquires again and releases.
void LockLinker::release_elsewhere() {
  struct At {
    std::uint32_t lock;
    Ticks time;
    ChannelId channel;
    std::uint32_t operation;
    bool operator<(const At& other) const { return std::tie(lock, time) < std::tie(other.lock, other.time); }
  };
  std::vector<At> open, releases;
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) {
    const ChannelScan& scan = tables_.channels[c];
    std::vector<bool> nests(scan.locks.size());
    for (std::uint32_t i = 0; i < scan.locks.size(); ++i)
      if (scan.lock_kinds[i] == nested && operations_[c].partner[i] != none) nests[operations_[c].partner[i]] = true;
    for (std::uint32_t i = 0; i < scan.locks.size(); ++i) {
      const At at{scan.locks[i].lock, scan.locks[i].time, c, i};
      if (scan.lock_kinds[i] == acquired && !is_released_here(c, i) && !nests[i]) open.push_back(at);
      if (scan.lock_kinds[i] == released && operations_[c].partner[i] == none) releases.push_back(at);
    }
  }
  std::sort(open.begin(), open.end());
  std::sort(releases.begin(), releases.end());
  for (const At& release : releases) {
    auto at = std::upper_bound(open.begin(), open.end(), release);
    if (at == open.begin() || (--at)->lock != release.lock) continue;
    Operations& ops = operations_[at->channel];
    if (ops.partner[at->operation] == elsewhere || release.time > ops.until[at->operation]) continue;
    ops.partner[at->operation] = elsewhere;
    ops.until[at->operation] = release.time;
    pairs_.push_back({{at->channel, at->operation}, {release.channel, release.operation}});
  }
}

void LockLinker::number(ChannelId channel) {
  ChannelScan& scan = tables_.channels[channel];
  const auto& ops = operations_[channel];
  for (std::uint32_t i = 0; i < scan.locks.size(); ++i) {
    LockOperation& op = scan.locks[i];
    const std::uint32_t partner = ops.partner[i];
    if (scan.lock_kinds[i] != acquired) {
      op.order = partner != none ? scan.locks[partner].order : 0;
      if (partner == none) continue;
      if (scan.lock_kinds[i] == released) op.time = std::min(op.time, ops.until[partner]);
    } else if (op.order != 0 && partner != elsewhere) {
      const bool late = partner != none && scan.locks[partner].time > ops.until[i];
      if (late || partner == none) scan.overdue.push_back({ops.until[i], i, partner});
    }
  }
  std::stable_sort(scan.overdue.begin(), scan.overdue.end(), [](const OverdueRelease& a, const OverdueRelease& b) { return a.time < b.time; });
}

void LockLinker::run() {
  if (locks_ == 0) return;
  operations_.resize(tables_.channels.size());
  held_.resize(locks_);
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) {
    operations_[c].until.resize(tables_.channels[c].locks.size(), never);
    operations_[c].partner.resize(tables_.channels[c].locks.size(), none);
  }
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) pair(c);
  order();
  release_elsewhere();
  if (!tables_.toggles.empty()) leave_out_paused();
  for (ChannelId c = 0; c < tables_.channels.size(); ++c) number(c);
  for (const auto& [acquisition, release] : pairs_)
    tables_.channels[release.channel].locks[release.operation].order = tables_.channels[acquisition.channel].locks[acquisition.operation].order;
}

}  // namespace

void link_locks(Tables& tables) { LockLinker(tables).run(); }

}  // namespace tracer::translate
