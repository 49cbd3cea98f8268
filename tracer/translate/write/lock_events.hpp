// SPDX-License-Identifier: BSD-3-Clause
// Critical, ordered, atomic and lock routines; each acquisition with its number in the lock's order.
#pragma once

#include <cstddef>
#include <vector>

#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class LockEvents {
 public:
  LockEvents(Context& context, const Nest& nest, RegionEvents& regions)
      : context_(context), nest_(nest), regions_(regions), orders_(context.plan().lock_orders) {}

  void mutex(const Record& r, Nanoseconds t);

  /// A lock routine has begun: whether it got its lock is known by the next record alone.
  bool is_pending() const noexcept { return pending_.kind != RecordKind::invalid; }
  void resolve(const Record& next);

  /// The next implied release, and the one behind it; nullptr: there is none.
  const ImpliedRelease* next_implied() const noexcept { return implied(0); }
  const ImpliedRelease* second_implied() const noexcept { return implied(1); }
  /// Its acquisition was written.
  bool is_after_acquisition(const ImpliedRelease& implied) const noexcept {
    return implied.acquisition < orders_.index();
  }
  /// The next operation is its own release, which comes late.
  bool is_before_release(const ImpliedRelease& implied) const noexcept { return implied.release == orders_.index(); }
  void skip_implied() noexcept { ++next_implied_; }
  void write_implied(Nanoseconds t);

 private:
  const ImpliedRelease* implied(std::size_t n) const noexcept {
    const auto& all = context_.plan().implied_releases;
    return next_implied_ + n < all.size() ? &all[next_implied_ + n] : nullptr;
  }
  void acquired(const Record& r, Nanoseconds t);
  void released(const Record& r, Nanoseconds t);
  void nested(const Record& r, Nanoseconds t);
  void acquire(const LockOperation& op, Nanoseconds t);
  void release(const LockOperation& op, Nanoseconds t);
  LockOperation next_operation();
  bool is_ended(const LockOperation& op) const;
  Construct routine_inside(Construct called) const;

  Context& context_;
  const Nest& nest_;
  RegionEvents& regions_;
  LockOrders::Reader orders_;
  std::size_t next_implied_ = 0;
  std::vector<LockOperation> held_;  ///< acquired here and not released
  std::vector<LockOperation>
      ended_;  ///< acquisitions that ended without their release, until that or the next one comes
  Record pending_{};
};

}  // namespace tracer::translate
