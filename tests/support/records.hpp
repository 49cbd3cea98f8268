// SPDX-License-Identifier: BSD-3-Clause
// Records by the names of what happened, with the arguments that a test looks at; the rest is what a runtime would
// give.
#pragma once

#include "tracer/ids.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/record.hpp"

namespace tracer::test {

inline constexpr std::uint64_t somewhere = 0x1000;  ///< in the program

inline Record initial_task_begin(Ticks time, TaskId task) {
  return {time, RecordKind::initial_task, Endpoint::begin, 1, 1, no_id, task};
}
inline Record initial_task_end(Ticks time, TaskId task) {
  return {time, RecordKind::initial_task, Endpoint::end, 1, 0, no_id, task};
}
inline Record parallel_begin(Ticks time, ParallelId region, std::uint32_t threads, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::parallel_begin, Endpoint::none, 0x8002, threads, region, codeptr};
}
inline Record parallel_end(Ticks time, ParallelId region, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::parallel_end, Endpoint::none, 0x8002, 0, region, codeptr};
}
inline Record league_begin(Ticks time, ParallelId region, std::uint32_t teams, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::parallel_begin, Endpoint::none, 0x4002, teams, region, codeptr};
}
inline Record league_end(Ticks time, ParallelId region, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::parallel_end, Endpoint::none, 0x4002, 0, region, codeptr};
}
/// Of a team in a league, as it is told where the league has one team: without its region.
inline Record league_task_begin(Ticks time, TaskId task) {
  return {time, RecordKind::initial_task, Endpoint::begin, 0, 1, no_id, task};
}
inline Record league_task_end(Ticks time, TaskId task) {
  return {time, RecordKind::initial_task, Endpoint::end, 0, 0, no_id, task};
}
inline Record implicit_task_begin(Ticks time, ParallelId region, TaskId task, std::uint16_t rank, std::uint32_t size) {
  return {time, RecordKind::implicit_task, Endpoint::begin, rank, size, region, task};
}
inline Record implicit_task_end(Ticks time, TaskId task, std::uint16_t rank = 0) {
  return {time, RecordKind::implicit_task, Endpoint::end, rank, 0, no_id, task};
}
inline Record sync_begin(Ticks time, std::uint16_t kind, TaskId task = no_id, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::sync_region, Endpoint::begin, kind, 0, task, codeptr};
}
inline Record sync_end(Ticks time, std::uint16_t kind, TaskId task = no_id, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::sync_region, Endpoint::end, kind, 0, task, codeptr};
}
inline Record sync_wait_begin(Ticks time, std::uint16_t kind, TaskId task = no_id, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::sync_region_wait, Endpoint::begin, kind, 0, task, codeptr};
}
inline Record sync_wait_end(Ticks time, std::uint16_t kind, TaskId task = no_id, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::sync_region_wait, Endpoint::end, kind, 0, task, codeptr};
}
inline Record work_begin(Ticks time, std::uint16_t type, std::uint64_t count = 0, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::work, Endpoint::begin, type, 0, count, codeptr};
}
inline Record work_end(Ticks time, std::uint16_t type, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::work, Endpoint::end, type, 0, 0, codeptr};
}
inline Record dispatched(Ticks time, std::uint16_t kind, std::uint64_t first, std::uint64_t count = 0) {
  return {time, RecordKind::dispatch, Endpoint::none, kind, 0, first, count};
}
inline Record task_create(Ticks time, TaskId task, TaskId creator, std::uint64_t codeptr = somewhere,
                          std::uint32_t flags = 0x4) {
  return {time,
          RecordKind::task_create,
          Endpoint::none,
          pack_task_flags(flags),
          static_cast<std::uint32_t>(counter_of(task)),
          creator,
          codeptr};
}
/// They follow.
inline Record with_dependences(Record created) {
  created.endpoint = Endpoint::begin_end;
  return created;
}
inline Record task_switch(Ticks time, std::uint16_t status, TaskId prior, TaskId next) {
  return {time, RecordKind::task_schedule, status == 1 ? Endpoint::end : Endpoint::none, status, 0, prior, next};
}
inline Record dependence(Ticks time, std::uint16_t type, TaskId task, std::uint64_t address, std::uint32_t index = 0,
                         std::uint32_t count = 1) {
  return {time, RecordKind::dependences, Endpoint::none, type, index | count << 16, task, address};
}
inline Record mutex_acquire(Ticks time, std::uint16_t kind, std::uint64_t lock, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::mutex_acquire, Endpoint::none, kind, 0, lock, codeptr};
}
inline Record mutex_acquired(Ticks time, std::uint16_t kind, std::uint64_t lock, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::mutex_acquired, Endpoint::none, kind, 0, lock, codeptr};
}
inline Record mutex_released(Ticks time, std::uint16_t kind, std::uint64_t lock, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::mutex_released, Endpoint::none, kind, 0, lock, codeptr};
}
inline Record flush(Ticks time, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::flush, Endpoint::none, 0, 0, 0, codeptr};
}
inline Record control_tool(Ticks time, std::uint64_t command) {
  return {time, RecordKind::control_tool, Endpoint::none, 0, 0, command, 0};
}
inline Record ring_wait(Ticks time, Ticks until) {
  return {time, RecordKind::ring_wait, Endpoint::none, 0, 0, until, 0};
}
inline Record error_directive(Ticks time, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::error, Endpoint::none, 1, 0, 0, codeptr};
}
inline Record target_begin(Ticks time, std::uint16_t kind, TargetId id, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::target, Endpoint::begin, kind, 0, id, codeptr};
}
inline Record target_end(Ticks time, std::uint16_t kind, TargetId id, std::uint64_t codeptr = somewhere) {
  return {time, RecordKind::target, Endpoint::end, kind, 0, id, codeptr};
}
inline Record data_op_begin(Ticks time, std::uint16_t kind, HostOpId id, std::uint64_t bytes) {
  return {time, RecordKind::target_data_op, Endpoint::begin, kind, 0, id, bytes};
}
/// Behind a data_op_begin.
inline Record data_op_more(std::uint64_t from, std::uint64_t to, std::uint64_t codeptr = somewhere) {
  return {from, RecordKind::more, Endpoint::none, 0, 0, to, codeptr};
}

}  // namespace tracer::test
