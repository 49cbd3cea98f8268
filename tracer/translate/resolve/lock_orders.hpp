// SPDX-License-Identifier: BSD-3-Clause
// What a channel did with locks, with the order that order_locks() gives it: a few bytes for an operation.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/record.hpp"
#include "tracer/translate/scan/byte_log.hpp"

namespace tracer::translate {

/// An acquisition or release of a mutex as it is written.
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
