// SPDX-License-Identifier: BSD-3-Clause
// The records of several threads about a task may contradict each other: a runtime's fault, or records that were lost.
// Nothing is put right then: the task is left out, as one that was created when its team had ended. No other task
// depends on it, so one pass over the records is enough.
#pragma once

#include "tracer/trace_source.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// When it is known where each task begins (Tables::task_begins). Reads all channels once; takes 3 bits for each thing
/// that has an id. How many were left out is counted in `repairs`.
void leave_out_contradictions(Tables& tables, const TraceSource& source, unsigned threads, Repairs& repairs);

}  // namespace tracer::translate
