// SPDX-License-Identifier: BSD-3-Clause
// The events of a record, when nothing else is due: hands each to the part for its kind. A new family of records
// has its part in a file of its own, and its line here.
#pragma once

#include "tracer/translate/resolve/course/course.hpp"
#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/resolve/course/task_names.hpp"
#include "tracer/translate/write/annotation_events.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/course_events.hpp"
#include "tracer/translate/write/lock_events.hpp"
#include "tracer/translate/write/mark_events.hpp"
#include "tracer/translate/write/mpi_events.hpp"
#include "tracer/translate/write/region_events.hpp"
#include "tracer/translate/write/target_events.hpp"
#include "tracer/translate/write/task_creation.hpp"
#include "tracer/translate/write/work_events.hpp"

namespace tracer::translate {

struct RecordEvents {
  explicit RecordEvents(WriteContext& context)
      : nest(context.tables.root_comm[context.channel]),
        names(context.tables),
        regions(context, nest, names),
        creation(context, regions, names),
        work(context, nest, regions),
        marks(context, nest, regions, creation),
        steps(context, nest, regions, marks, work),
        course(context, nest, names, steps),
        locks(context, nest, regions),
        targets(context, regions),
        mpi(context, regions),
        words(context, nest, regions) {}

  /// What a begin of a barrier or the like entered, or its end left, so that another one like it would do the same;
  /// nullptr: something else.
  Site* write(const Record& r, Nanoseconds t);
  /// Of a record with a continuation.
  void pair(const Record& first, const Record& more, Nanoseconds t) {
    MpiEvents::is_pair(first.kind) ? mpi.pair(first, more, t) : targets.pair(first, more, t);
  }
  /// Records of this kind enter and leave regions of the current task and change nothing else: whatever is due behind
  /// one was due before it. WorkEvents has them, for which the nest is const.
  static constexpr bool only_regions(RecordKind kind) noexcept {
    return kind == RecordKind::sync_region || kind == RecordKind::sync_region_wait || kind == RecordKind::reduction ||
           kind == RecordKind::masked || kind == RecordKind::work || kind == RecordKind::dispatch;
  }

  Nest nest;
  TaskNames names;
  RegionEvents regions;
  TaskCreation creation;
  WorkEvents work;
  MarkEvents marks;
  CourseEvents steps;
  Course course;
  LockEvents locks;
  TargetEvents targets;
  MpiEvents mpi;
  AnnotationEvents words;

 private:
  void write_other(const Record& r, Nanoseconds t);
  void task(const Record& r, Nanoseconds t);
};

}  // namespace tracer::translate
