// SPDX-License-Identifier: BSD-3-Clause
// Handlers of parallel regions, leagues and implicit tasks.
#include "tracer/ompt/emit.hpp"
#include "tracer/ompt/handlers.hpp"
#include "tracer/ompt/seen_code.hpp"

namespace tracer::ompt {
namespace {

[[gnu::always_inline]] inline void emit_implicit(Channel& channel, Ticks time, Endpoint endpoint, ParallelId region,
                                                 TaskId task, unsigned team, unsigned number, int flags) noexcept {
  const bool initial = (flags & ompt_task_initial) != 0;
  channel.emit({.time = time,
                .kind = initial ? RecordKind::initial_task : RecordKind::implicit_task,
                .endpoint = endpoint,
                .sub = sub_of(number),
                .a = team,
                .b = region,
                .c = task});
}

}  // namespace

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* parallel_data,
                       unsigned int requested_parallelism, int flags, const void* codeptr_ra) noexcept {
  record_in_code(
      [](Channel& channel, Ticks time, ompt_data_t* region, unsigned requested, int region_flags, const void* code) {
        const ParallelId id = make_id(channel.id(), channel.next_counter());
        set_value(region, id);
        channel.begin_region(id);
        channel.emit({.time = time,
                      .kind = RecordKind::parallel_begin,
                      .endpoint = Endpoint::begin,
                      .sub = pack_parallel_flags(static_cast<std::uint32_t>(region_flags)),
                      .a = requested,
                      .b = id,
                      .c = address_of(code)});
      },
      parallel_data, requested_parallelism, flags, codeptr_ra);
}

void on_parallel_end(ompt_data_t* parallel_data, ompt_data_t*, int flags, const void* codeptr_ra) noexcept {
  record(
      [](Channel& channel, Ticks time, const ompt_data_t* region, int region_flags, const void* code) {
        const ParallelId id = value_of_ended(region);
        channel.end_region(id);
        channel.emit({.time = time,
                      .kind = RecordKind::parallel_end,
                      .endpoint = Endpoint::end,
                      .sub = pack_parallel_flags(static_cast<std::uint32_t>(region_flags)),
                      .a = 0,
                      .b = id,
                      .c = address_of(code)});
      },
      parallel_data, flags, codeptr_ra);
}

// The initial task of a thread, and of each team of a league, comes by the same callback,
// distinguished by its flag. An end may lack the parallel_data, not the task_data.
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data, ompt_data_t* task_data,
                      unsigned int actual_parallelism, unsigned int index, int flags) noexcept {
  if (endpoint == ompt_scope_begin) {
    return record(
        [](Channel& channel, Ticks time, const ompt_data_t* region, ompt_data_t* task, unsigned team, unsigned number,
           int task_flags) {
          const TaskId id = task != nullptr ? make_id(channel.id(), channel.next_counter()) : no_id;
          set_value(task, id);
          emit_implicit(channel, time, Endpoint::begin, value_of(region), id, team, number, task_flags);
        },
        parallel_data, task_data, actual_parallelism, index, flags);
  }
  const TaskId task_id = value_of(task_data);
  // See on_sync_region: where barriers are not recorded, the word is cleared here.
  if (endpoint == ompt_scope_end) set_value(task_data, no_id);
  record(
      [](Channel& channel, Ticks time, ompt_scope_endpoint_t at, const ompt_data_t* region, TaskId id, unsigned team,
         unsigned number, int task_flags) {
        emit_implicit(channel, time, endpoint_of(at), value_of(region), id, team, number, task_flags);
      },
      endpoint, parallel_data, task_id, actual_parallelism, index, flags);
}

}  // namespace tracer::ompt
