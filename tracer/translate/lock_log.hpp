// SPDX-License-Identifier: BSD-3-Clause
// What a channel did with locks: as the first pass reads it, and with the order that link_locks() gives it. A few bytes
// for an operation: a program may do nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracer/record.hpp"
#include "tracer/translate/byte_log.hpp"

namespace tracer::translate {

enum class LockStep : std::uint8_t { acquired = 0, released = 1, nested = 2, nested_release = 3 };

/// The first pass' log.
class LockLog {
 public:
  /// `since`: how long before it the channel's last record of any kind was.
  void add(Ticks time, std::uint64_t address, LockStep step, Ticks since);

  std::uint32_t count() const noexcept { return count_; }
  /// The locks, by the number they have in this channel.
  const std::vector<std::uint64_t>& addresses() const noexcept { return addresses_; }

  struct Operation {
    Ticks time = 0;
    std::uint32_t lock = 0;  ///< in addresses()
    LockStep step = LockStep::acquired;
    Ticks since = 0;  ///< of a release; no more than the time since the operation before
  };
  /// In the channel's order, once: frees what was read.
  class Consumer {
   public:
    explicit Consumer(LockLog& log) : bytes_(log.bytes_), left_(log.count_) {}
    bool next(Operation& operation);

   private:
    ByteLog::Consumer bytes_;
    std::uint32_t left_;
    Operation last_;
  };

 private:
  std::uint32_t number_of(std::uint64_t address);

  /// Threads use few locks in turn: most are found without hashing.
  struct Recent {
    std::uint64_t address = 0;
    std::uint32_t number = 0;
    bool known = false;
  };
  ByteLog bytes_;
  std::uint32_t count_ = 0;
  Ticks time_ = 0;
  std::uint32_t lock_ = 0;
  std::vector<std::uint64_t> addresses_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::array<Recent, 16> recent_{};
};

/// An acquisition or release of a mutex as the second pass has it.
struct LockOperation {
  std::uint32_t lock = 0;   ///< dense in the run
  std::uint32_t order = 0;  ///< of the acquisition it is, ends or nests in; 0: there is none, and no event
  /// How far its time is from its record's: of an acquisition after it (the clock was read too early), of a release
  /// before it (another thread had the lock by then).
  Ticks moved = 0;
  bool is_of(const LockOperation& other) const noexcept { return lock == other.lock && order == other.order; }
};

/// The operations of a channel in its order, each with its place in its lock's order.
class LockOrders {
 public:
  void add(const LockOperation& operation);
  /// What was added as the i-th has no order, as it turns out. Maybe again.
  void take_back(std::uint32_t i) { taken_back_.push_back(i); }
  /// After the last add() and take_back(), before the first Reader.
  void finish();

  class Reader {
   public:
    explicit Reader(const LockOrders& orders) : orders_(&orders), bytes_(orders.bytes_) {}
    std::uint32_t index() const noexcept { return index_; }  ///< of the next one
    /// False: there are no more.
    bool next(LockOperation& operation);

   private:
    const LockOrders* orders_;
    ByteLog::Reader bytes_;
    std::uint32_t index_ = 0;
    std::size_t taken_back_ = 0;
    LockOperation last_;
  };

 private:
  ByteLog bytes_;
  std::uint32_t count_ = 0;
  LockOperation last_;
  std::vector<std::uint32_t> taken_back_;
};

}  // namespace tracer::translate
