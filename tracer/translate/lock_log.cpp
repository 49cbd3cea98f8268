// SPDX-License-Identifier: BSD-3-Clause
// How operations on locks are packed.
#include "tracer/translate/lock_log.hpp"

#include <algorithm>

namespace tracer::translate {

std::uint32_t LockLog::number_of(std::uint64_t address) {
  Recent& recent = recent_[(address >> 3) % recent_.size()];
  if (!recent.known || recent.address != address) {
    const auto [at, is_new] = numbers_.emplace(address, static_cast<std::uint32_t>(addresses_.size()));
    if (is_new) addresses_.push_back(address);
    recent = {address, at->second, true};
  }
  return recent.number;
}

namespace {
constexpr std::uint64_t step_bits = 3, of_other_lock = 4, has_since = 8;
constexpr unsigned head_bits = 4;
}  // namespace

// The step, flags, and the time since the operation before. Mostly nothing is between an acquisition and its release.
void LockLog::add(Ticks time, std::uint64_t address, LockStep step, Ticks since) {
  const std::uint32_t lock = number_of(address);
  const bool other = lock != lock_ || count_ == 0;
  const Ticks passed = std::min(time > time_ ? time - time_ : 0, ~Ticks{0} >> head_bits);
  const bool between = step == LockStep::released && since < passed;
  bytes_.put(passed << head_bits | (other ? of_other_lock : 0) | (between ? has_since : 0) |
             static_cast<std::uint64_t>(step));
  if (other) bytes_.put(lock);
  if (between) bytes_.put(since);
  time_ += passed;
  lock_ = lock;
  ++count_;
}

bool LockLog::Consumer::next(Operation& operation) {
  if (left_ == 0) return false;
  --left_;
  const std::uint64_t head = bytes_.get();
  last_.time += head >> head_bits;
  last_.step = static_cast<LockStep>(head & step_bits);
  if ((head & of_other_lock) != 0) last_.lock = static_cast<std::uint32_t>(bytes_.get());
  last_.since = (head & has_since) != 0 ? bytes_.get() : head >> head_bits;
  operation = last_;
  return true;
}

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
