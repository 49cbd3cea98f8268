// SPDX-License-Identifier: BSD-3-Clause
// Barriers, taskwait, taskgroup and reductions; worksharing constructs and what they hand out.
#pragma once

#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class WorkEvents {
 public:
  WorkEvents(WriteContext& context, const Nest& nest, RegionEvents& regions)
      : context_(context), nest_(nest), regions_(regions) {}

  /// What the record did: its site is the region it entered, and may be entered so again; nullptr: something else.
  Site* sync(const Record& r, Nanoseconds t);
  void work(const Record& r, Nanoseconds t);
  void dispatch(const Record& r, Nanoseconds t);
  /// The loop that began last in this part of a team; 0: none.
  std::uint64_t loop() const noexcept { return loop_; }
  void begin_team() noexcept { loop_ = 0; }

 private:
  void end_single(Nanoseconds t);
  std::uint64_t better_position(const RegionKey& key) const;
  void end_work(const Record& r, Nanoseconds t, Construct construct);
  void section(const Record& r, Nanoseconds t);
  void count_single(std::uint64_t codeptr, bool executor) noexcept;

  WriteContext& context_;
  const Nest& nest_;
  RegionEvents& regions_;
  std::uint64_t loop_ = 0, sections_ = 0;  ///< positions
};

}  // namespace tracer::translate
