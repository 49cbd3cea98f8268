// SPDX-License-Identifier: BSD-3-Clause
// Handlers of barriers, taskwait, taskgroup, reductions, flush and cancel.
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/seen_code.hpp"

namespace tracer::ompt {
namespace {

[[gnu::always_inline]] inline void emit_sync(Channel& channel, Ticks time, RecordKind record_kind,
                                             ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                             std::uint64_t task, const void* codeptr_ra) noexcept {
  channel.emit({.time = time,
                .kind = record_kind,
                .endpoint = endpoint_of(endpoint),
                .sub = sub_of(kind),
                .a = 0,
                .b = task,
                .c = address_of(codeptr_ra)});
}

// A worker's join barrier: the one implicit barrier without a position.
constexpr bool is_join_of_worker(int kind, int endpoint, const void* codeptr_ra) noexcept {
  constexpr int implicit = 2, implicit_parallel = 9, teams = 10;  // ompt_sync_region_t; older headers lack some
  return endpoint == ompt_scope_begin && codeptr_ra == nullptr &&
         (kind == implicit || kind == implicit_parallel || kind == teams);
}

// libomp copies a worker's task_data at the join into the very word in which `taskwait depend` must
// find NULL (task.cpp), and never clears it: the first one that a worker meets in a later region, or
// in a task that it runs inside this barrier, would abort the program. From here on the implicit
// task is the one with id 0.
[[gnu::noinline]] void join(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* task_data) noexcept {
  const std::uint64_t task = value_of(task_data);
  set_value(task_data, no_id);
  record([](Channel& channel, Ticks time, ompt_sync_region_t sync, ompt_scope_endpoint_t at,
            std::uint64_t id) { emit_sync(channel, time, RecordKind::sync_region, sync, at, id, nullptr); },
         kind, endpoint, task);
}

}  // namespace

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data,
                    const void* codeptr_ra) noexcept {
  if (is_join_of_worker(kind, endpoint, codeptr_ra)) [[unlikely]]
    return join(kind, endpoint, task_data);
  record_in_code(
      [](Channel& channel, Ticks time, ompt_sync_region_t sync, ompt_scope_endpoint_t at, const ompt_data_t* task,
         const void* code) { emit_sync(channel, time, RecordKind::sync_region, sync, at, value_of(task), code); },
      kind, endpoint, task_data, codeptr_ra);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data,
                         const void* codeptr_ra) noexcept {
  record(
      [](Channel& channel, Ticks time, ompt_sync_region_t sync, ompt_scope_endpoint_t at, const ompt_data_t* task,
         const void* code) { emit_sync(channel, time, RecordKind::sync_region_wait, sync, at, value_of(task), code); },
      kind, endpoint, task_data, codeptr_ra);
}

void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data,
                  const void* codeptr_ra) noexcept {
  record([](Channel& channel, Ticks time, ompt_sync_region_t sync, ompt_scope_endpoint_t at, const ompt_data_t* task,
            const void* code) { emit_sync(channel, time, RecordKind::reduction, sync, at, value_of(task), code); },
         kind, endpoint, task_data, codeptr_ra);
}

void on_flush(ompt_data_t*, const void* codeptr_ra) noexcept {
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::flush,
                  .endpoint = Endpoint::none,
                  .sub = 0,
                  .a = 0,
                  .b = 0,
                  .c = address_of(codeptr_ra)});
  });
}

void on_cancel(ompt_data_t* task_data, int flags, const void* codeptr_ra) noexcept {
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = RecordKind::cancel,
                  .endpoint = Endpoint::none,
                  .sub = 0,
                  .a = static_cast<std::uint32_t>(flags),
                  .b = value_of(task_data),
                  .c = address_of(codeptr_ra)});
  });
}

}  // namespace tracer::ompt
