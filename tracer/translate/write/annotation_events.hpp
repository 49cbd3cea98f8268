// SPDX-License-Identifier: BSD-3-Clause
// Annotations on their thread: ranges that nest are regions, marks have no length, counters are metrics.
//
// Whether a range nests with the constructs around and inside it shows only at its end, when its begin is long written.
// So threads with range annotations are written twice, the first time to nowhere: ranges that are not the innermost
// region of their task when they end are found, taken off the stack where they stand, and left to locations of their
// own (resolve/annotation_lanes.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

/// A range that does not nest with what else happens on its thread.
struct StrayRange {
  std::uint64_t number = 0;  ///< of the push on its channel
  Record push{};
  Ticks end = never;
};

class AnnotationEvents {
 public:
  AnnotationEvents(WriteContext& context, Nest& nest, RegionEvents& regions)
      : context_(context), nest_(nest), regions_(regions), strays_(context.plan().strays) {}

  void word(const Record& r, Nanoseconds t);
  /// In a first writing: ranges that do not nest are put here.
  void find_strays(std::vector<StrayRange>& found) noexcept { found_ = &found; }

 private:
  struct OpenRange {
    std::uint64_t number;  ///< of the push on this channel; an OpenRegion has it as its codeptr
    std::uint64_t stack;   ///< language and domain: an end is that of the innermost of these
    Record push;
  };
  void push(const Record& r, Nanoseconds t);
  void pop(const Record& r, Nanoseconds t);
  void count(const Record& r, Nanoseconds t);
  void attributes(const Record& r);
  bool is_stray(const OpenRegion& open) const noexcept {
    return open.construct == Construct::range && is_stray(open.codeptr);
  }
  bool is_stray(std::uint64_t number) const noexcept { return number < strays_.size() && strays_[number]; }
  TaskState* around(const TaskState* task) noexcept;

  WriteContext& context_;
  Nest& nest_;
  RegionEvents& regions_;
  std::vector<OpenRange> ranges_;  ///< whose end has not come
  std::uint64_t pushes_ = 0;
  std::vector<bool> strays_;  ///< by number
  std::vector<StrayRange>* found_ = nullptr;
};

}  // namespace tracer::translate
