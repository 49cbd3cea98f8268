// SPDX-License-Identifier: BSD-3-Clause
// Barriers, sections, single, scope and cancellation.
#include "tracer/gomp/state.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {
namespace {

void begin_sections(const Site& site, unsigned count) noexcept {
  begin_work(thread, {site.code, work_type::sections, count});
}

/// GCC's code has one place for all sections of a construct.
unsigned section(unsigned number) noexcept {
  if (number == 0) return number;
  ompt_data_t task = word_of(thread.task), instance;
  instance.ptr = const_cast<void*>(thread.work.code);
  on.dispatch(nullptr, &task, static_cast<ompt_dispatch_t>(dispatch_kind::section), instance);
  return number;
}

/// The executor's ends with the barrier behind it, or with what the thread does next of worksharing.
void record_single(const Site& site, bool is_executor) noexcept {
  Thread& self = thread;
  if (is_executor) return begin_work(self, {site.code, work_type::single_executor, 1});
  begin_work(self, {site.code, work_type::single_other, 1});
  end_work(self);
}

/// GCC's numbers of what is cancelled, as ompt_cancel_flag_t has them.
constexpr int cancel_flags(int which) noexcept {
  constexpr int parallel = 1, loop = 2, sections = 4, taskgroup = 8;
  return ((which & parallel) != 0 ? ompt_cancel_parallel : 0) | ((which & loop) != 0 ? ompt_cancel_loop : 0) |
         ((which & sections) != 0 ? ompt_cancel_sections : 0) | ((which & taskgroup) != 0 ? ompt_cancel_taskgroup : 0);
}

/// A loop that is left in the middle does not request the chunk after its last.
void leave_loop(int flags) noexcept {
  if ((flags & (ompt_cancel_parallel | ompt_cancel_loop)) != 0) thread.work.request();
}

void record_cancelled(const Site& site, int flags) noexcept {
  leave_loop(flags);
  ompt_data_t task = word_of(thread.task);
  on.cancel(&task, flags, site.code);
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace work_type = tracer::work_type;
namespace sync_kind = tracer::sync_kind;

void GOMP_barrier() {
  TRACER_GOMP_ENTER(GOMP_barrier);
  end_work(thread);
  waiting(sync_kind::barrier_explicit, site.code, [&] { site.runtime->GOMP_barrier(); });
}

bool GOMP_barrier_cancel() {
  TRACER_GOMP_ENTER(GOMP_barrier_cancel);
  end_work(thread);
  return waiting(sync_kind::barrier_explicit, site.code, [&] { return site.runtime->GOMP_barrier_cancel(); });
}

unsigned GOMP_sections_start(unsigned count) {
  TRACER_GOMP_ENTER(GOMP_sections_start, count);
  begin_sections(site, count);
  return section(site.runtime->GOMP_sections_start(count));
}

unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  TRACER_GOMP_ENTER(GOMP_sections2_start, count, reductions, memory);
  begin_sections(site, count);
  return section(site.runtime->GOMP_sections2_start(count, reductions, memory));
}

unsigned GOMP_sections_next() {
  TRACER_GOMP_ENTER(GOMP_sections_next);
  return section(site.runtime->GOMP_sections_next());
}

void GOMP_sections_end() {
  TRACER_GOMP_ENTER(GOMP_sections_end);
  end_work(thread);
  waiting(sync_kind::barrier_implicit_workshare, site.code, [&] { site.runtime->GOMP_sections_end(); });
}

bool GOMP_sections_end_cancel() {
  TRACER_GOMP_ENTER(GOMP_sections_end_cancel);
  end_work(thread);
  return waiting(sync_kind::barrier_implicit_workshare, site.code,
                 [&] { return site.runtime->GOMP_sections_end_cancel(); });
}

void GOMP_sections_end_nowait() {
  TRACER_GOMP_ENTER(GOMP_sections_end_nowait);
  end_work(thread);
  site.runtime->GOMP_sections_end_nowait();
}

bool GOMP_single_start() {
  TRACER_GOMP_ENTER(GOMP_single_start);
  const bool is_executor = site.runtime->GOMP_single_start();
  record_single(site, is_executor);
  return is_executor;
}

// The others wait in it for what the executor hands on: as part of the construct. They may run tasks there, whose
// records are behind the barrier's begin.
void* GOMP_single_copy_start() {
  TRACER_GOMP_ENTER(GOMP_single_copy_start);
  Thread& self = thread;
  end_work(self);
  self.past_wait = {front->now(), site.code};
  void* const handed = site.runtime->GOMP_single_copy_start();
  if (handed == nullptr) {
    self.past_wait.since = 0;
    record_single(site, true);
  } else {
    begin_past_wait(self);
    wait_ends(sync_kind::barrier_implicit_workshare, site.code);
    record_single(site, false);
  }
  return handed;
}

void GOMP_single_copy_end(void* data) {
  TRACER_GOMP_ENTER(GOMP_single_copy_end, data);
  end_work(thread);
  waiting(sync_kind::barrier_implicit_workshare, site.code, [&] { site.runtime->GOMP_single_copy_end(data); });
}

void GOMP_scope_start(std::uintptr_t* reductions) {
  TRACER_GOMP_ENTER(GOMP_scope_start, reductions);
  begin_work(thread, {site.code, work_type::scope, 1});
  site.runtime->GOMP_scope_start(reductions);
}

// libgomp's has a barrier only where the region is not cancelled.
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  TRACER_GOMP_ENTER(GOMP_workshare_task_reduction_unregister, cancelled);
  end_work(thread);
  if (cancelled) return site.runtime->GOMP_workshare_task_reduction_unregister(cancelled);
  waiting(sync_kind::barrier_implicit_workshare, site.code,
          [&] { site.runtime->GOMP_workshare_task_reduction_unregister(cancelled); });
}

bool GOMP_cancel(int which, bool really) {
  TRACER_GOMP_ENTER(GOMP_cancel, which, really);
  const bool is_cancelled = site.runtime->GOMP_cancel(which, really);
  if (is_cancelled)
    record_cancelled(site, cancel_flags(which) | (really ? ompt_cancel_activated : ompt_cancel_detected));
  return is_cancelled;
}

bool GOMP_cancellation_point(int which) {
  TRACER_GOMP_ENTER(GOMP_cancellation_point, which);
  const bool is_cancelled = site.runtime->GOMP_cancellation_point(which);
  if (is_cancelled) record_cancelled(site, cancel_flags(which) | ompt_cancel_detected);
  return is_cancelled;
}
