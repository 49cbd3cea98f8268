// SPDX-License-Identifier: BSD-3-Clause
// See lock_course.hpp.
#include "tracer/translate/resolve/course/lock_course.hpp"

#include <algorithm>
#include <iterator>

namespace tracer::translate {

/// Order 0 where its acquisition has ended already.
LockOperation LockCourse::next() {
  LockOperation op;
  orders_.next(op);
  if (is_ended(op)) op.order = 0;
  return op;
}

bool LockCourse::is_ended(const LockOperation& op) const {
  return std::any_of(ended_.begin(), ended_.end(), [&](const LockOperation& other) { return other.is_of(op); });
}

LockOperation LockCourse::acquired() {
  const LockOperation op = next();
  if (op.order == 0) return op;
  if (!ended_.empty()) std::erase_if(ended_, [&](const LockOperation& other) { return other.lock == op.lock; });
  held_.push_back(op);
  return op;
}

LockOperation LockCourse::released(bool is_recording) {
  const LockOperation op = next();
  if (op.order == 0 && is_recording) view_.note(Repair::release_without_acquisition);
  if (op.order == 0) return op;
  const auto mine =
      std::find_if(held_.rbegin(), held_.rend(), [&](const LockOperation& other) { return other.is_of(op); });
  if (mine != held_.rend()) held_.erase(std::next(mine).base());
  return op;
}

std::size_t LockCourse::take_implied(Repair why) {
  const LockOperation& op = implied(0)->operation;
  ++next_implied_;
  view_.note(why);
  ended_.push_back(op);
  return std::erase_if(held_, [&](const LockOperation& held) { return held.is_of(op); });
}

}  // namespace tracer::translate
