// SPDX-License-Identifier: BSD-3-Clause
// See record_events.hpp.
#include "tracer/translate/write/record_events.hpp"

#include "tracer/ompt_values.hpp"

namespace tracer::translate {

Site* RecordEvents::write(const Record& r, Nanoseconds t) {
  switch (r.kind) {
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
    case RecordKind::reduction:
    case RecordKind::masked:
      return work.sync(r, t);
    case RecordKind::work:
      work.work(r, t);
      return nullptr;
    case RecordKind::dispatch:
      work.dispatch(r, t);
      return nullptr;
    default:
      write_other(r, t);
      return nullptr;
  }
}

void RecordEvents::task(const Record& record, Nanoseconds t) {
  const Record r = course.teams.task_switch(record);
  if (task_status::is_fulfill(r.sub)) return marks.fulfilled(r, t);
  if (r.sub == task_status::taskwait_complete && course.tasks.waits(r.b)) return regions.leave(t, Construct::taskwait);
  course.tasks.schedule(r, t);
}

void RecordEvents::write_other(const Record& r, Nanoseconds t) {
  switch (r.kind) {
    case RecordKind::parallel_begin:
    case RecordKind::parallel_end:
      return course.teams.parallel(r, t);
    case RecordKind::implicit_task:
    case RecordKind::initial_task:
      return course.teams.part(r, t);
    case RecordKind::task_create:
      return creation.create(r);
    case RecordKind::dependences:
      return creation.dependence(r, t, work.loop());
    case RecordKind::task_schedule:
      return task(r, t);
    case RecordKind::mutex_acquire:
    case RecordKind::mutex_acquired:
    case RecordKind::mutex_released:
    case RecordKind::lock_init:
    case RecordKind::lock_destroy:
    case RecordKind::nest_lock:
      return locks.mutex(r, t);
    case RecordKind::cancel:
      marks.mark(r, t);
      if (r.a & cancel_flag::discarded_task) course.tasks.discard(r.b, r.time, t);
      return;
    case RecordKind::flush:
    case RecordKind::error:
    case RecordKind::task_dependence:
    case RecordKind::lost:
      return marks.mark(r, t);
    case RecordKind::control_tool:
      return marks.control_tool(r, t);
    case RecordKind::range_push:
    case RecordKind::range_pop:
    case RecordKind::range_mark:
    case RecordKind::range_counter:
      return words.word(r, t);
    case RecordKind::target:
      return targets.target(r, t);
    case RecordKind::target_submit:
      return targets.submit(r, t);
    case RecordKind::target_data_op:
    case RecordKind::target_map:
    case RecordKind::mpi_send:
    case RecordKind::mpi_recv:
    case RecordKind::mpi_collective:
    case RecordKind::mpi_rma:
    case RecordKind::mpi_io:
      return targets.begin_pair(r);
    case RecordKind::mpi_call:
      return mpi.call(r, t);
    case RecordKind::mpi_request:
      return mpi.request(r, t);
    case RecordKind::mpi_comm:
      return mpi.comm(r, t);
    default:
      return;  // thread and device records make definitions, not events
  }
}

}  // namespace tracer::translate
