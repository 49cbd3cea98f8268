// SPDX-License-Identifier: BSD-3-Clause
// Critical, ordered, atomic and lock routines; each acquisition with its number in the lock's order.
#pragma once

#include "tracer/translate/resolve/course/lock_course.hpp"
#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class LockEvents {
 public:
  LockEvents(WriteContext& context, const Nest& nest, RegionEvents& regions)
      : context_(context), nest_(nest), regions_(regions), course_(context) {}

  void mutex(const Record& r, Nanoseconds t);

  /// A lock routine has begun: only the next record shows whether it got its lock.
  bool is_pending() const noexcept { return pending_.kind != RecordKind::invalid; }
  void resolve(const Record& next);

  LockCourse& course() noexcept { return course_; }
  const LockCourse& course() const noexcept { return course_; }
  /// The next release without a record.
  void write_implied(Nanoseconds t, Repair why);

 private:
  void acquired(const Record& r, Nanoseconds t);
  void released(const Record& r, Nanoseconds t);
  void nested(const Record& r, Nanoseconds t);
  void write(EventType type, const LockOperation& op, Nanoseconds t) {
    if (op.order != 0) context_.out.add(t, type, 0, op.lock, op.order);
  }
  Construct routine_inside(Construct called) const;

  WriteContext& context_;
  const Nest& nest_;
  RegionEvents& regions_;
  LockCourse course_;
  Record pending_{};
};

}  // namespace tracer::translate
