// SPDX-License-Identifier: BSD-3-Clause
// Holds include/tracer/ompt_values.hpp to the interface's header. What the oldest header does not have is not compared.
#include <omp-tools.h>

#include <string_view>

#include "tracer/ompt_values.hpp"

namespace tracer {

static_assert(task_status::complete == ompt_task_complete && task_status::yield == ompt_task_yield &&
              task_status::cancel == ompt_task_cancel && task_status::detach == ompt_task_detach &&
              task_status::early_fulfill == ompt_task_early_fulfill &&
              task_status::late_fulfill == ompt_task_late_fulfill && task_status::switched == ompt_task_switch &&
              task_status::taskwait_complete == ompt_taskwait_complete);
constexpr bool is_called(ompt_state_t state, std::string_view name) {
  return thread_state::name_of(static_cast<std::uint16_t>(state)) == name;
}
static_assert(is_called(ompt_state_work_serial, "work_serial") &&
              is_called(ompt_state_work_parallel, "work_parallel") &&
              is_called(ompt_state_work_reduction, "work_reduction") &&
              is_called(ompt_state_wait_barrier_implicit_parallel, "wait_barrier_implicit_parallel") &&
              is_called(ompt_state_wait_barrier_implicit_workshare, "wait_barrier_implicit_workshare") &&
              is_called(ompt_state_wait_barrier_explicit, "wait_barrier_explicit") &&
              is_called(ompt_state_wait_barrier_implementation, "wait_barrier_implementation") &&
              is_called(ompt_state_wait_barrier_teams, "wait_barrier_teams") &&
              is_called(ompt_state_wait_taskwait, "wait_taskwait") &&
              is_called(ompt_state_wait_taskgroup, "wait_taskgroup") &&
              is_called(ompt_state_wait_mutex, "wait_mutex") && is_called(ompt_state_wait_lock, "wait_lock") &&
              is_called(ompt_state_wait_critical, "wait_critical") &&
              is_called(ompt_state_wait_atomic, "wait_atomic") && is_called(ompt_state_wait_ordered, "wait_ordered") &&
              is_called(ompt_state_wait_target, "wait_target") &&
              is_called(ompt_state_wait_target_map, "wait_target_map") &&
              is_called(ompt_state_wait_target_update, "wait_target_update") && is_called(ompt_state_idle, "idle") &&
              is_called(ompt_state_overhead, "overhead") && is_called(ompt_state_undefined, "undefined"));
static_assert(sync_kind::barrier_explicit == ompt_sync_region_barrier_explicit &&
              sync_kind::barrier_implementation == ompt_sync_region_barrier_implementation &&
              sync_kind::taskwait == ompt_sync_region_taskwait && sync_kind::taskgroup == ompt_sync_region_taskgroup &&
              sync_kind::reduction == ompt_sync_region_reduction &&
              sync_kind::barrier_implicit_workshare == ompt_sync_region_barrier_implicit_workshare &&
              sync_kind::barrier_implicit_parallel == ompt_sync_region_barrier_implicit_parallel &&
              sync_kind::barrier_teams == ompt_sync_region_barrier_teams);
static_assert(work_type::loop == ompt_work_loop && work_type::sections == ompt_work_sections &&
              work_type::single_executor == ompt_work_single_executor &&
              work_type::single_other == ompt_work_single_other && work_type::workshare == ompt_work_workshare &&
              work_type::distribute == ompt_work_distribute && work_type::taskloop == ompt_work_taskloop &&
              work_type::scope == ompt_work_scope);
static_assert(dispatch_kind::iteration == ompt_dispatch_iteration && dispatch_kind::section == ompt_dispatch_section);
static_assert(mutex_kind::lock == ompt_mutex_lock && mutex_kind::test_lock == ompt_mutex_test_lock &&
              mutex_kind::nest_lock == ompt_mutex_nest_lock &&
              mutex_kind::test_nest_lock == ompt_mutex_test_nest_lock && mutex_kind::critical == ompt_mutex_critical &&
              mutex_kind::atomic == ompt_mutex_atomic && mutex_kind::ordered == ompt_mutex_ordered);
static_assert(dependence_type::source == ompt_dependence_type_source &&
              dependence_type::sink == ompt_dependence_type_sink);
static_assert(target_kind::target == ompt_target && target_kind::enter_data == ompt_target_enter_data &&
              target_kind::exit_data == ompt_target_exit_data && target_kind::update == ompt_target_update &&
              target_kind::target_nowait == ompt_target_nowait &&
              target_kind::update_nowait == ompt_target_update_nowait);
static_assert(data_op::alloc == ompt_target_data_alloc && data_op::to_device == ompt_target_data_transfer_to_device &&
              data_op::from_device == ompt_target_data_transfer_from_device &&
              data_op::remove == ompt_target_data_delete && data_op::associate == ompt_target_data_associate &&
              data_op::disassociate == ompt_target_data_disassociate);
static_assert(task_flag::target == ompt_task_target && task_flag::taskwait == ompt_task_taskwait &&
              task_flag::undeferred == ompt_task_undeferred && task_flag::untied == ompt_task_untied &&
              task_flag::is_final == ompt_task_final);
static_assert(parallel_flag::league == static_cast<unsigned>(ompt_parallel_league));
static_assert(cancel_flag::discarded_task == ompt_cancel_discarded_task);

}  // namespace tracer
