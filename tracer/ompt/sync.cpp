// SPDX-License-Identifier: BSD-3-Clause
// Handlers of barriers, taskwait, taskgroup, reductions, flush and cancel.
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"

namespace tracer::ompt {
namespace {

[[gnu::always_inline]] inline void emit_sync(RecordKind record_kind, ompt_sync_region_t kind,
                                             ompt_scope_endpoint_t endpoint, const ompt_data_t* task_data,
                                             const void* codeptr_ra) noexcept {
  record([=](Channel& channel, Ticks time) {
    channel.emit({.time = time,
                  .kind = record_kind,
                  .endpoint = endpoint_of(endpoint),
                  .sub = sub_of(kind),
                  .a = 0,
                  .b = value_of(task_data),
                  .c = address_of(codeptr_ra)});
  });
}

}  // namespace

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data,
                    const void* codeptr_ra) noexcept {
  emit_sync(RecordKind::sync_region, kind, endpoint, task_data, codeptr_ra);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data,
                         const void* codeptr_ra) noexcept {
  emit_sync(RecordKind::sync_region_wait, kind, endpoint, task_data, codeptr_ra);
}

void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task_data,
                  const void* codeptr_ra) noexcept {
  emit_sync(RecordKind::reduction, kind, endpoint, task_data, codeptr_ra);
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
