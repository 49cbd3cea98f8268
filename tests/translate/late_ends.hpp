// SPDX-License-Identifier: BSD-3-Clause
// A team whose worker is woken late at its last barrier: the trace that many tests of the translation begin with.
#pragma once

#include "support/memory_trace.hpp"
#include "support/records.hpp"
#include "tracer/translate/translate.hpp"

namespace tracer::test {

inline constexpr ParallelId region = make_id(0, 2);

/// Two threads, one region, its join barrier; the worker's ends come when it is woken at 900.
inline void region_with_late_ends(MemorySource& source) {
  source.channel(0) = {
      initial_task_begin(1, make_id(0, 1)),
      parallel_begin(10, region, 2),
      implicit_task_begin(20, region, make_id(0, 3), 0, 2),
      sync_begin(50, sync_kind::barrier_implicit_parallel, make_id(0, 3)),
      sync_wait_begin(51, sync_kind::barrier_implicit_parallel, make_id(0, 3)),
      sync_wait_end(70, sync_kind::barrier_implicit_parallel, make_id(0, 3)),
      sync_end(71, sync_kind::barrier_implicit_parallel, make_id(0, 3)),
      implicit_task_end(72, make_id(0, 3)),
      parallel_end(80, region),
      initial_task_end(950, make_id(0, 1)),
  };
  source.channel(1) = {
      implicit_task_begin(25, region, make_id(1, 1), 1, 2),
      sync_begin(60, sync_kind::barrier_implicit_parallel, make_id(1, 1), 0),
      sync_wait_begin(61, sync_kind::barrier_implicit_parallel, make_id(1, 1), 0),
      sync_wait_end(900, sync_kind::barrier_implicit_parallel, make_id(1, 1), 0),
      sync_end(901, sync_kind::barrier_implicit_parallel, make_id(1, 1), 0),
      implicit_task_end(902, make_id(1, 1), 1),
  };
  source.journal_to_fill().run.main_thread_id = 100;
}

inline translate::TranslateReport run(const MemorySource& source, MemorySink& sink) {
  return translate::translate(source, sink, {});
}

}  // namespace tracer::test
