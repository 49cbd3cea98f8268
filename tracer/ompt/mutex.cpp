// SPDX-License-Identifier: BSD-3-Clause
// Handlers of locks, critical, atomic and ordered.
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/seen_code.hpp"

namespace tracer::ompt {
namespace {

template <RecordKind record_kind>
constexpr auto emit_mutex = [](Channel& channel, Ticks time, ompt_mutex_t kind, std::uint32_t implementation_and_hint,
                               ompt_wait_id_t wait_id, const void* codeptr_ra) {
  channel.emit({.time = time,
                .kind = record_kind,
                .endpoint = Endpoint::none,
                .sub = sub_of(kind),
                .a = implementation_and_hint,
                .b = wait_id,
                .c = address_of(codeptr_ra)});
};

}  // namespace

void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t wait_id,
                      const void* codeptr_ra) noexcept {
  record_in_code(emit_mutex<RecordKind::mutex_acquire>, kind, pack_mutex(hint, impl), wait_id, codeptr_ra);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept {
  record(emit_mutex<RecordKind::mutex_acquired>, kind, 0u, wait_id, codeptr_ra);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept {
  record(emit_mutex<RecordKind::mutex_released>, kind, 0u, wait_id, codeptr_ra);
}

void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t wait_id,
                  const void* codeptr_ra) noexcept {
  record_in_code(emit_mutex<RecordKind::lock_init>, kind, pack_mutex(hint, impl), wait_id, codeptr_ra);
}

void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept {
  record(emit_mutex<RecordKind::lock_destroy>, kind, 0u, wait_id, codeptr_ra);
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept {
  record(
      [](Channel& channel, Ticks time, ompt_scope_endpoint_t at, ompt_wait_id_t id, const void* code) {
        channel.emit({.time = time,
                      .kind = RecordKind::nest_lock,
                      .endpoint = endpoint_of(at),
                      .sub = 0,
                      .a = 0,
                      .b = id,
                      .c = address_of(code)});
      },
      endpoint, wait_id, codeptr_ra);
}

}  // namespace tracer::ompt
