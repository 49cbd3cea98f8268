// SPDX-License-Identifier: BSD-3-Clause
// The creation of a task with its dependences, which come in the records behind it.
#pragma once

#include <vector>

#include "tracer/translate/resolve/course/task_names.hpp"
#include "tracer/translate/scan/task_counter.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class TaskCreation {
 public:
  TaskCreation(WriteContext& context, RegionEvents& regions, const TaskNames& names)
      : context_(context),
        regions_(regions),
        names_(names),
        counter_(context.tables.channels[context.channel].counter_near) {}

  void create(const Record& r);
  /// Of the task that was created last, or of an iteration of the loop at `loop`.
  void dependence(const Record& r, Nanoseconds t, std::uint64_t loop);
  /// A creation waits for its dependences; any other record shows that all have come.
  bool is_pending() const noexcept { return pending_; }
  bool may_have(const Record& r) const noexcept { return r.kind == RecordKind::dependences && r.time >= record_.time; }
  void write();
  /// `taskwait depend` that began last: the runtime has no id of it.
  TaskId waiting() const noexcept { return waiting_; }

 private:
  void describe(TaskId id);
  void add_dependences();

  WriteContext& context_;
  RegionEvents& regions_;
  const TaskNames& names_;
  TaskCounter counter_;
  bool pending_ = false;
  Record record_{};
  std::vector<Record> dependences_;
  TaskId waiting_ = no_id;
};

}  // namespace tracer::translate
