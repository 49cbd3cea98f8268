// SPDX-License-Identifier: BSD-3-Clause
// Values of the callbacks' kind arguments and flags, as in omp-tools.h, for files that must not include it.
// Records contain the runtime's values. tracer/ompt checks these against the header.
#pragma once

#include <cstdint>

namespace tracer {

namespace task_status {  // ompt_task_status_t
inline constexpr std::uint16_t complete = 1, yield = 2, cancel = 3, detach = 4, early_fulfill = 5, late_fulfill = 6,
                               switched = 7, taskwait_complete = 8;
/// An event was fulfilled or a wait ended: no task switch.
constexpr bool is_fulfill(std::uint16_t status) noexcept {
  return status == early_fulfill || status == late_fulfill;
}
constexpr bool is_switch(std::uint16_t status) noexcept {
  return !is_fulfill(status) && status != taskwait_complete;
}
/// The prior task does not run again.
constexpr bool ends_task(std::uint16_t status) noexcept {
  return status == complete || status == cancel || status == detach;
}
}  // namespace task_status

namespace sync_kind {  // ompt_sync_region_t
inline constexpr std::uint16_t barrier_before_51 = 1, barrier_implicit_before_51 = 2, barrier_explicit = 3,
                               barrier_implementation = 4, taskwait = 5, taskgroup = 6, reduction = 7,
                               barrier_implicit_workshare = 8, barrier_implicit_parallel = 9, barrier_teams = 10;
}  // namespace sync_kind

namespace thread_state {  // ompt_state_t
struct Named {
  std::uint16_t value;
  const char* name;
};
inline constexpr Named all[] = {
    {0x000, "work_serial"},
    {0x001, "work_parallel"},
    {0x002, "work_reduction"},
    {0x010, "wait_barrier"},
    {0x011, "wait_barrier_implicit_parallel"},
    {0x012, "wait_barrier_implicit_workshare"},
    {0x013, "wait_barrier_implicit"},
    {0x014, "wait_barrier_explicit"},
    {0x015, "wait_barrier_implementation"},
    {0x016, "wait_barrier_teams"},
    {0x020, "wait_taskwait"},
    {0x021, "wait_taskgroup"},
    {0x040, "wait_mutex"},
    {0x041, "wait_lock"},
    {0x042, "wait_critical"},
    {0x043, "wait_atomic"},
    {0x044, "wait_ordered"},
    {0x080, "wait_target"},
    {0x081, "wait_target_map"},
    {0x082, "wait_target_update"},
    {0x100, "idle"},
    {0x101, "overhead"},
    {0x102, "undefined"},
};
/// The name in omp-tools.h, without "ompt_state_"; "unknown" for other values.
constexpr const char* name_of(std::uint16_t state) noexcept {
  for (const Named& row : all)
    if (row.value == state) return row.name;
  return "unknown";
}
}  // namespace thread_state

namespace work_type {  // ompt_work_t
inline constexpr std::uint16_t loop = 1, sections = 2, single_executor = 3, single_other = 4, workshare = 5,
                               distribute = 6, taskloop = 7, scope = 8, workdistribute = 9, loop_static = 10,
                               loop_dynamic = 11, loop_guided = 12, loop_other = 13;
}  // namespace work_type

namespace dispatch_kind {  // ompt_dispatch_t
inline constexpr std::uint16_t iteration = 1, section = 2, loop_chunk = 3, taskloop_chunk = 4, distribute_chunk = 5;
}  // namespace dispatch_kind

namespace mutex_kind {  // ompt_mutex_t
inline constexpr std::uint16_t lock = 1, test_lock = 2, nest_lock = 3, test_nest_lock = 4, critical = 5, atomic = 6,
                               ordered = 7;
}  // namespace mutex_kind

namespace dependence_type {  // ompt_dependence_type_t
inline constexpr std::uint16_t source = 5, sink = 6;
}  // namespace dependence_type

namespace target_kind {  // ompt_target_t
inline constexpr std::uint16_t target = 1, enter_data = 2, exit_data = 3, update = 4, target_nowait = 9,
                               enter_data_nowait = 10, exit_data_nowait = 11, update_nowait = 12;
}  // namespace target_kind

namespace data_op {  // ompt_target_data_op_t
inline constexpr std::uint16_t alloc = 1, to_device = 2, from_device = 3, remove = 4, associate = 5, disassociate = 6,
                               transfer = 7, memset = 8, transfer_rect = 9;
inline constexpr std::uint16_t alloc_async = 17, to_device_async = 18, from_device_async = 19, remove_async = 20,
                               transfer_async = 23, memset_async = 24, transfer_rect_async = 25;
}  // namespace data_op

namespace task_flag {  // ompt_task_flag_t
inline constexpr std::uint32_t target = 0x08, taskwait = 0x10, undeferred = 0x08000000, untied = 0x10000000,
                               is_final = 0x20000000;
}  // namespace task_flag

namespace parallel_flag {  // ompt_parallel_flag_t
inline constexpr std::uint32_t league = 0x40000000;
}  // namespace parallel_flag

namespace cancel_flag {  // ompt_cancel_flag_t
inline constexpr std::uint32_t discarded_task = 0x40;
}  // namespace cancel_flag

namespace control_command {  // omp_control_tool_t
inline constexpr std::uint64_t start = 1, pause = 2, flush = 3, end = 4;
}  // namespace control_command

}  // namespace tracer
