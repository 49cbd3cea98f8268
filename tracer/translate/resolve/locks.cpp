// SPDX-License-Identifier: BSD-3-Clause
// The order in which locks went from thread to thread: all operations of all channels once, in the order of time.
#include <algorithm>
#include <functional>
#include <iterator>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>

#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {
namespace {

/// The operations of all channels, oldest first; each channel's are in order. Of equal times an acquisition comes last.
class LockTimeline {
 public:
  struct Step : LockLog::Operation {
    ChannelId channel = none;
    std::uint32_t index = 0;  ///< among the channel's operations
  };

  explicit LockTimeline(Tables& tables);
  bool next(Step& step);
  /// The channel's next operation; nullptr: it has none.
  const Step* coming(ChannelId channel) const {
    return positions_[channel].has_head ? &positions_[channel].head : nullptr;
  }

 private:
  struct Position {
    explicit Position(LockLog& of) : log(of) {}
    LockLog::Consumer log;
    std::vector<std::uint32_t> locks;  ///< dense in the run, by the channel's numbers
    Step head;
    bool has_head = false;
  };
  struct Key {
    Ticks time;
    bool acquires;
    ChannelId channel;
    bool operator>(const Key& other) const noexcept {
      return std::tie(time, acquires, channel) > std::tie(other.time, other.acquires, other.channel);
    }
  };
  void advance(ChannelId channel);
  Key key_of(ChannelId channel) const {
    const Step& head = positions_[channel].head;
    return {head.time, head.step == LockStep::acquired, channel};
  }

  std::vector<Position> positions_;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;
  ChannelId last_ = none;  ///< whose head is not in the queue
};

LockTimeline::LockTimeline(Tables& tables) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  positions_.reserve(tables.channels.size());
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    LockLog& log = tables.channels[c].lock_log;
    Position& at = positions_.emplace_back(log);
    for (const std::uint64_t address : log.addresses())
      at.locks.push_back(numbers.emplace(address, static_cast<std::uint32_t>(numbers.size())).first->second);
    at.head.channel = c;
    at.head.index = none;
    advance(c);
    if (at.has_head) queue_.push(key_of(c));
  }
}

void LockTimeline::advance(ChannelId channel) {
  Position& at = positions_[channel];
  at.has_head = at.log.next(at.head);
  if (!at.has_head) return;
  at.head.lock = at.locks[at.head.lock];
  ++at.head.index;  // from none on
}

bool LockTimeline::next(Step& step) {
  // Mostly a thread goes on.
  if (last_ != none && positions_[last_].has_head) {
    if (const Key mine = key_of(last_); !queue_.empty() && mine > queue_.top()) {
      queue_.push(mine);
      last_ = none;
    }
  } else {
    last_ = none;
  }
  if (last_ == none) {
    if (queue_.empty()) return false;
    last_ = queue_.top().channel;
    queue_.pop();
  }
  step = positions_[last_].head;
  advance(last_);
  return true;
}

class LockLinker {
 public:
  explicit LockLinker(Tables& tables) : tables_(tables), timeline_(tables), channels_(tables.channels.size()) {}
  void run();
  std::size_t left_out() const noexcept { return left_out_.size(); }

 private:
  using Step = LockTimeline::Step;
  static constexpr Ticks most_early = 4096;  ///< a microsecond or more; what is further off has other reasons
  /// Who has it, as far as was seen.
  struct Lock {
    std::uint32_t order = 0;               ///< of its last acquisition
    ChannelId holder = none, last = none;  ///< who has it, and who had it last
    std::uint32_t operation = 0;           ///< the holder's
    Ticks since = 0;                       ///< of the last acquisition
    bool nests = false;                    ///< the holder acquired it again, and released that
  };
  /// An acquisition that another thread's ended, whose own release is still to come: the callback comes after the
  /// unlock.
  struct Superseded {
    std::uint32_t operation, order;  ///< order 0: in a pause
    Ticks until;
  };
  struct Nested {
    std::uint32_t lock, operation;
  };
  struct Channel {
    std::unordered_map<std::uint32_t, Superseded> superseded;  ///< by lock
    std::vector<Nested> nested;                                ///< open
    std::vector<Nested> inside;  ///< all of acquisitions that are not over; only where there are pauses
  };

  void acquired(const Step& step);
  void released(const Step& step);
  void nested(const Step& step);
  void nested_release(const Step& step);
  void finish();

  std::uint32_t order_if_held(const Step& step);
  void add_nested(const Step& step, std::uint32_t order);
  std::uint32_t over(std::uint32_t number, Ticks time);
  Ticks acquisition_time(const Step& step) const;
  void supersede(const Step& step, Ticks time);
  void late(const Step& step, const Superseded& acquisition);
  void close_nested(ChannelId channel, std::uint32_t lock);
  void add(const Step& step, std::uint32_t order, Ticks moved = 0) {
    tables_.plans[step.channel].lock_orders.add({step.lock, order, moved});
  }

  Tables& tables_;
  LockTimeline timeline_;
  std::vector<Lock> locks_;
  std::vector<Channel> channels_;
  std::set<std::uint32_t> left_out_;  ///< Exclusions
};

// A nested acquisition without its release counts for nothing.
void LockLinker::close_nested(ChannelId channel, std::uint32_t lock) {
  if (channels_[channel].nested.empty()) return;
  std::erase_if(channels_[channel].nested, [&](const Nested& n) {
    if (n.lock == lock) tables_.plans[channel].lock_orders.take_back(n.operation);
    return n.lock == lock;
  });
}

// The holder's acquisition is over. One that is over within a pause is in no trace, with all that nests in it, and has
// no number: 0.
std::uint32_t LockLinker::over(std::uint32_t number, Ticks time) {
  Lock& lock = locks_[number];
  const ChannelId holder = lock.holder;
  lock.holder = none;
  if (tables_.toggles.empty()) return lock.order;
  const bool left_out = tables_.paused(lock.since, time);
  LockOrders& orders = tables_.plans[holder].lock_orders;
  if (left_out) orders.take_back(lock.operation);
  std::erase_if(channels_[holder].inside, [&](const Nested& n) {
    if (n.lock == number && left_out) orders.take_back(n.operation);
    return n.lock == number;
  });
  return left_out ? (--lock.order, 0) : lock.order;
}

// Where two processors contend for a lock the clock of an acquisition may be read some 50 ns before it has it: it did
// so after all that the holder did before its release, whose callback comes later still. And a nanosecond after another
// thread's, as clocks have steps, and readers merge threads by nothing but time.
Ticks LockLinker::acquisition_time(const Step& step) const {
  const Lock& lock = locks_[step.lock];
  const bool was_others = lock.last != none && lock.last != step.channel;
  const Ticks time = std::max(step.time, lock.since + (was_others ? tables_.nanosecond : 0));
  const Step* release = lock.holder != none && lock.holder != step.channel ? timeline_.coming(lock.holder) : nullptr;
  if (release == nullptr || release->step != LockStep::released || release->lock != step.lock) return time;
  const Ticks released_after = release->time - release->since;
  return released_after > time && released_after - time < most_early ? released_after : time;
}

void LockLinker::supersede(const Step& step, Ticks time) {
  const Lock& lock = locks_[step.lock];
  const ChannelId holder = lock.holder;
  const std::uint32_t order = over(step.lock, time);
  if (holder == step.channel) {
    close_nested(holder, step.lock);
  } else {
    channels_[holder].superseded[step.lock] = {lock.operation, order, time};
  }
  if (order != 0) tables_.plans[holder].implied_releases.push_back({time, lock.operation, none, {step.lock, order, 0}});
}

void LockLinker::acquired(const Step& step) {
  const Ticks time = acquisition_time(step);
  Lock& lock = locks_[step.lock];
  if (lock.holder != none) supersede(step, time);
  if (auto& superseded = channels_[step.channel].superseded; !superseded.empty() && superseded.erase(step.lock) != 0)
    close_nested(step.channel, step.lock);
  lock = {lock.order + 1, step.channel, step.channel, step.index, time, false};
  add(step, lock.order, time - step.time);
}

void LockLinker::late(const Step& step, const Superseded& acquisition) {
  close_nested(step.channel, step.lock);
  add(step, acquisition.order,
      acquisition.order != 0 && step.time > acquisition.until ? step.time - acquisition.until : 0);
  if (acquisition.order == 0) return;
  auto& implied = tables_.plans[step.channel].implied_releases;
  const auto mine = std::find_if(implied.rbegin(), implied.rend(),
                                 [&](const ImpliedRelease& o) { return o.acquisition == acquisition.operation; });
  if (mine == implied.rend()) return;
  if (step.time > acquisition.until) {
    mine->release = step.index;
  } else {
    implied.erase(std::next(mine).base());
  }
}

// A lock may be released by another thread than acquired it: an untied task goes on elsewhere, or the program is wrong.
// Not one that its own thread acquires again and releases.
void LockLinker::released(const Step& step) {
  Lock& lock = locks_[step.lock];
  if (lock.holder == step.channel) {
    close_nested(step.channel, step.lock);
    return add(step, over(step.lock, step.time));
  }
  if (auto& superseded = channels_[step.channel].superseded; !superseded.empty()) {
    if (const auto mine = superseded.find(step.lock); mine != superseded.end()) {
      late(step, mine->second);
      superseded.erase(mine);
      return;
    }
  }
  if (lock.holder == none || lock.nests) return add(step, 0);
  close_nested(lock.holder, step.lock);
  add(step, over(step.lock, step.time));
}

// Of the acquisition that the channel has, or has not released yet; 0: there is none.
std::uint32_t LockLinker::order_if_held(const Step& step) {
  const Lock& lock = locks_[step.lock];
  if (lock.holder == step.channel) return lock.order;
  const auto& superseded = channels_[step.channel].superseded;
  const auto mine = superseded.find(step.lock);
  return mine != superseded.end() ? mine->second.order : 0;
}

void LockLinker::add_nested(const Step& step, std::uint32_t order) {
  add(step, order);
  if (!tables_.toggles.empty() && locks_[step.lock].holder == step.channel)
    channels_[step.channel].inside.push_back({step.lock, step.index});
}

void LockLinker::nested(const Step& step) {
  const std::uint32_t order = order_if_held(step);
  if (order != 0) channels_[step.channel].nested.push_back({step.lock, step.index});
  add_nested(step, order);
}

void LockLinker::nested_release(const Step& step) {
  auto& open = channels_[step.channel].nested;
  const auto mine = std::find_if(open.rbegin(), open.rend(), [&](const Nested& n) { return n.lock == step.lock; });
  const std::uint32_t order = mine != open.rend() ? order_if_held(step) : 0;
  add_nested(step, order);
  if (order == 0) return;
  open.erase(std::next(mine).base());
  if (Lock& lock = locks_[step.lock]; lock.holder == step.channel) lock.nests = true;
}

// What was never released is so at the end of the trace.
void LockLinker::finish() {
  for (std::uint32_t l = 0; l < locks_.size(); ++l) {
    Lock& lock = locks_[l];
    const ChannelId holder = lock.holder;
    if (holder == none) continue;
    if (const std::uint32_t order = over(l, tables_.end))
      tables_.plans[holder].implied_releases.push_back({never, lock.operation, none, {l, order, 0}});
  }
  for (ChannelId c = 0; c < channels_.size(); ++c) {
    Plan& plan = tables_.plans[c];
    for (const Nested& n : channels_[c].nested) plan.lock_orders.take_back(n.operation);
    plan.lock_orders.finish();
    std::sort(plan.implied_releases.begin(), plan.implied_releases.end(),
              [](const ImpliedRelease& a, const ImpliedRelease& b) {
                return a.time != b.time ? a.time < b.time : a.acquisition < b.acquisition;
              });
    tables_.channels[c].lock_log = {};
  }
}

void LockLinker::run() {
  const Exclusions& excluded = tables_.excluded;
  const bool are_excluded = excluded.all_locks || !excluded.locks.empty();
  for (Step step; timeline_.next(step);) {
    if (are_excluded && excluded.have_lock(step.lock)) [[unlikely]] {
      add(step, 0);
      left_out_.insert(step.lock);
      continue;
    }
    if (step.lock >= locks_.size()) locks_.resize(step.lock + 1);
    switch (step.step) {
      case LockStep::acquired:
        acquired(step);
        break;
      case LockStep::released:
        released(step);
        break;
      case LockStep::nested:
        nested(step);
        break;
      case LockStep::nested_release:
        nested_release(step);
        break;
    }
  }
  finish();
}

}  // namespace

std::size_t order_locks(Tables& tables) {
  LockLinker linker(tables);
  linker.run();
  return linker.left_out();
}

}  // namespace tracer::translate
