// SPDX-License-Identifier: BSD-3-Clause
// Which of a thread's operations on locks are acquisitions and releases of the archive: each acquisition is released
// once, by its own record or where another thread has the lock.
#pragma once

#include <cstddef>
#include <vector>

#include "tracer/translate/resolve/course/channel_view.hpp"

namespace tracer::translate {

class LockCourse {
 public:
  explicit LockCourse(ChannelView& view) : view_(view), orders_(view.plan().lock_orders) {}

  /// The channel's next operation, which is an acquisition or one that nests. Order 0: no event.
  LockOperation acquired();
  /// As acquired(), of a release; one that releases nothing is counted, except in a pause.
  LockOperation released(bool is_recording);

  /// The next release that no record reports in time, and the one behind it; nullptr: there is none.
  const ImpliedRelease* next_implied() const noexcept { return implied(0); }
  const ImpliedRelease* second_implied() const noexcept { return implied(1); }
  /// Its acquisition was before the next operation.
  bool is_after_acquisition(const ImpliedRelease& implied) const noexcept {
    return implied.acquisition < orders_.index();
  }
  /// The next operation is its own release, which comes late.
  bool is_before_release(const ImpliedRelease& implied) const noexcept { return implied.release == orders_.index(); }
  /// Its record comes in time after all, or what it releases was never acquired.
  void skip_implied() noexcept { ++next_implied_; }
  /// next_implied() is carried out. Returns how many releases that are: one for each acquisition that is held.
  std::size_t take_implied(Repair why);

 private:
  const ImpliedRelease* implied(std::size_t n) const noexcept {
    const auto& all = view_.plan().implied_releases;
    return next_implied_ + n < all.size() ? &all[next_implied_ + n] : nullptr;
  }
  LockOperation next();
  bool is_ended(const LockOperation& op) const;

  ChannelView& view_;
  LockOrders::Reader orders_;
  std::size_t next_implied_ = 0;
  std::vector<LockOperation> held_;  ///< acquired here and not released
  /// Acquisitions that ended without their release, until that or the next one comes.
  std::vector<LockOperation> ended_;
};

}  // namespace tracer::translate
