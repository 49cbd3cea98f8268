// SPDX-License-Identifier: BSD-3-Clause
// What has no duration: flush, cancel, fulfilled events, error, dependences between tasks, lost events,
// omp_control_tool.
#pragma once

#include <vector>

#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"
#include "tracer/translate/write/task_creation.hpp"

namespace tracer::translate {

class MarkEvents {
 public:
  MarkEvents(WriteContext& context, const Nest& nest, RegionEvents& regions, const TaskCreation& creation)
      : context_(context), nest_(nest), regions_(regions), creation_(creation) {}

  void mark(const Record& r, Nanoseconds t);
  /// omp_fulfill_event.
  void fulfilled(const Record& r, Nanoseconds t);
  void control_tool(const Record& r, Nanoseconds t);
  /// A region that cannot have the threads it requested (num_threads(strict: n)) reports it after its fork: that stands
  /// in the region.
  void write_errors(Nanoseconds t);

 private:
  WriteContext& context_;
  const Nest& nest_;
  RegionEvents& regions_;
  const TaskCreation& creation_;
  std::vector<Record> errors_;  ///< reported between a fork and its team, not yet written
};

}  // namespace tracer::translate
