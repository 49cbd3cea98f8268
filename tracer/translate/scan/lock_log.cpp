// SPDX-License-Identifier: BSD-3-Clause
// How operations on locks are packed.
#include "tracer/translate/scan/lock_log.hpp"

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

}  // namespace tracer::translate
