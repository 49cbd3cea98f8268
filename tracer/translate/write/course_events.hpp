// SPDX-License-Identifier: BSD-3-Clause
// Teams and tasks of a thread, as its course was decided: a few events for each step.
#pragma once

#include "tracer/translate/resolve/course/course_listener.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/mark_events.hpp"
#include "tracer/translate/write/region_events.hpp"
#include "tracer/translate/write/work_events.hpp"

namespace tracer::translate {

class CourseEvents final : public CourseListener {
 public:
  CourseEvents(WriteContext& context, const Nest& nest, RegionEvents& regions, MarkEvents& marks, WorkEvents& work)
      : context_(context), nest_(nest), regions_(regions), marks_(marks), work_(work) {}

  void forked(std::uint32_t threads, Nanoseconds t) override;
  void part_begun(const ParallelInstance* team, Nanoseconds t) override;
  void team_ended(Part& part, Nanoseconds t) override;
  void team_passed(const ParallelInstance& team, Nanoseconds t) override;
  void joined(const ParallelInstance& team, Nanoseconds t) override;
  void switched(const TaskName& to, Nanoseconds t) override { task(EventType::task_switch, to, t); }
  void task_begun(TaskState& task, const RegionKey& region, Nanoseconds t) override;
  void completed(const TaskName& which, Nanoseconds t) override {
    if (which.comm != undefined_ref) --context_.balance.tasks;
    task(EventType::task_complete, which, t);
  }
  void left(RegionStack& open, std::size_t regions, Nanoseconds t) override { regions_.leave_inner(t, open, regions); }
  bool is_recording() const override { return !context_.out.paused(); }
  Nanoseconds last() const override { return context_.out.last(); }

 private:
  /// Of a task whose team is in the archive.
  void task(EventType type, const TaskName& which, Nanoseconds t) {
    if (which.comm != undefined_ref) context_.out.add(t, type, which.comm, which.rank, which.generation);
  }

  WriteContext& context_;
  const Nest& nest_;
  RegionEvents& regions_;
  MarkEvents& marks_;
  WorkEvents& work_;
};

}  // namespace tracer::translate
