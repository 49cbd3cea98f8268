// SPDX-License-Identifier: BSD-3-Clause
// How operations on locks with their orders are packed.
#include "tracer/translate/resolve/lock_orders.hpp"

#include <algorithm>

namespace tracer::translate {

namespace {
constexpr std::uint64_t no_order = 1, other_lock = 2, is_moved = 4;
constexpr unsigned flag_bits = 3;
}  // namespace

// Flags, and how far the order is from the last one.
void LockOrders::add(const LockOperation& operation) {
  const bool other = operation.lock != last_.lock || count_ == 0;
  const std::int64_t step = operation.order == 0 ? 0 : std::int64_t{operation.order} - std::int64_t{last_.order};
  bytes_.put(zigzag(step) << flag_bits | (operation.order == 0 ? no_order : 0) | (other ? other_lock : 0) |
             (operation.moved != 0 ? is_moved : 0));
  if (other) bytes_.put(operation.lock);
  if (operation.moved != 0) bytes_.put(operation.moved);
  last_.lock = operation.lock;
  if (operation.order != 0) last_.order = operation.order;
  ++count_;
}

void LockOrders::finish() {
  std::sort(taken_back_.begin(), taken_back_.end());
  taken_back_.erase(std::unique(taken_back_.begin(), taken_back_.end()), taken_back_.end());
}

bool LockOrders::Reader::next(LockOperation& operation) {
  if (index_ == orders_->count_) return false;
  const std::uint64_t head = bytes_.get();
  if ((head & other_lock) != 0) last_.lock = static_cast<std::uint32_t>(bytes_.get());
  last_.order = static_cast<std::uint32_t>(std::int64_t{last_.order} + unzigzag(head >> flag_bits));
  operation = last_;
  operation.moved = (head & is_moved) != 0 ? bytes_.get() : 0;
  if ((head & no_order) != 0) operation.order = 0;
  if (taken_back_ < orders_->taken_back_.size() && orders_->taken_back_[taken_back_] == index_) {
    operation.order = 0;
    ++taken_back_;
  }
  ++index_;
  return true;
}

}  // namespace tracer::translate
