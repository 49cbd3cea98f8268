// SPDX-License-Identifier: BSD-3-Clause
// Which records may begin the execution of a task.
#pragma once

#include "tracer/ids.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"

namespace tracer::translate {

/// The task that may begin with the record, or may go on; no_id: none.
constexpr TaskId begun_by(const Record& r) noexcept {
  if (r.kind == RecordKind::cancel) return (r.a & cancel_flag::discarded_task) != 0 ? r.b : no_id;
  if (r.kind != RecordKind::task_schedule || task_status::is_fulfill(r.sub)) return no_id;
  if (r.sub == task_status::taskwait_complete) return r.b;
  const bool ends_itself = task_status::ends_task(r.sub) && r.b == r.c;
  return ends_itself ? no_id : r.c;
}

}  // namespace tracer::translate
