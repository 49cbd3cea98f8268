// SPDX-License-Identifier: BSD-3-Clause
// The host's side of target constructs; what the device did is on its own locations.
#pragma once

#include <vector>

#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class TargetEvents {
 public:
  TargetEvents(WriteContext& context, RegionEvents& regions) : context_(context), regions_(regions) {}

  void target(const Record& r, Nanoseconds t);
  void submit(const Record& r, Nanoseconds t);
  /// Of target_data_op and target_map: the rest is in the next record.
  void begin_pair(const Record& r) noexcept { first_ = r; }
  bool awaits_more() const noexcept { return first_.kind != RecordKind::invalid; }
  /// The first half, which is no longer awaited; kind invalid: there was none.
  Record take_first() noexcept;
  void pair(const Record& first, const Record& more, Nanoseconds t);

 private:
  void map(const Record& r, const Record& more, Nanoseconds t);
  void data_op(const Record& r, const Record& more, Nanoseconds t);
  bool has_right_content(Construct copy, HostOpId id) const noexcept;
  struct OpenTarget {
    TargetId id;
    std::uint64_t codeptr;
  };

  WriteContext& context_;
  RegionEvents& regions_;
  Record first_{};
  std::vector<OpenTarget> open_;
};

}  // namespace tracer::translate
