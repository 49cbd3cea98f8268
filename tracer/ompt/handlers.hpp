// SPDX-License-Identifier: BSD-3-Clause
// The functions that the OpenMP runtime calls, one per callback of OpenMP 5.2, with the
// specification's parameter names. Each writes its arguments into one record and returns:
// what it means is the translator's business. May be called by any thread, at any time, also
// after finalisation; they never throw, block or allocate unless noted here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp-tools.h"

namespace tracer::ompt {

// Threads (thread.cpp). thread_begin queries the thread's identity from the system: once per thread.
void on_thread_begin(ompt_thread_t thread_type, ompt_data_t* thread_data) noexcept;
void on_thread_end(ompt_data_t* thread_data) noexcept;
/// How many have begun since the last call.
std::uint64_t take_threads_begun() noexcept;
/// The same as on_thread_begin() of a thread outside every OMPT runtime: a runtime that is asked about it would take it
/// for its own.
void begin_thread(std::uint32_t thread_type) noexcept;

// Parallel regions and their implicit tasks (parallel.cpp).
void on_parallel_begin(ompt_data_t* encountering_task_data, const ompt_frame_t* encountering_task_frame,
                       ompt_data_t* parallel_data, unsigned int requested_parallelism, int flags,
                       const void* codeptr_ra) noexcept;
void on_parallel_end(ompt_data_t* parallel_data, ompt_data_t* encountering_task_data, int flags,
                     const void* codeptr_ra) noexcept;
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data, ompt_data_t* task_data,
                      unsigned int actual_parallelism, unsigned int index, int flags) noexcept;

// Explicit tasks (task.cpp).
void on_task_create(ompt_data_t* encountering_task_data, const ompt_frame_t* encountering_task_frame,
                    ompt_data_t* new_task_data, int flags, int has_dependences, const void* codeptr_ra) noexcept;
void on_task_schedule(ompt_data_t* prior_task_data, ompt_task_status_t prior_task_status,
                      ompt_data_t* next_task_data) noexcept;
void on_dependences(ompt_data_t* task_data, const ompt_dependence_t* deps, int ndeps) noexcept;
void on_task_dependence(ompt_data_t* src_task_data, ompt_data_t* sink_task_data) noexcept;

// Synchronisation and worksharing (sync.cpp, work.cpp).
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data,
                    ompt_data_t* task_data, const void* codeptr_ra) noexcept;
void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data,
                         ompt_data_t* task_data, const void* codeptr_ra) noexcept;
void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data,
                  ompt_data_t* task_data, const void* codeptr_ra) noexcept;
void on_flush(ompt_data_t* thread_data, const void* codeptr_ra) noexcept;
void on_cancel(ompt_data_t* task_data, int flags, const void* codeptr_ra) noexcept;
void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data, ompt_data_t* task_data,
             std::uint64_t count, const void* codeptr_ra) noexcept;
void on_dispatch(ompt_data_t* parallel_data, ompt_data_t* task_data, ompt_dispatch_t kind,
                 ompt_data_t instance) noexcept;
void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel_data, ompt_data_t* task_data,
               const void* codeptr_ra) noexcept;

// Mutual exclusion (mutex.cpp).
void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t wait_id,
                      const void* codeptr_ra) noexcept;
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept;
void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept;
void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t wait_id,
                  const void* codeptr_ra) noexcept;
void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept;
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void* codeptr_ra) noexcept;

// Texts of the user or the runtime (message.cpp): these copy a text into the journal, which may
// allocate and lock; both are rare.
int on_control_tool(std::uint64_t command, std::uint64_t modifier, void* arg, const void* codeptr_ra) noexcept;
void on_error(ompt_severity_t severity, const char* message, std::size_t length, const void* codeptr_ra) noexcept;

// Devices as the host sees them (target.cpp). With the EMI callbacks the tool assigns the ids at
// begin; with the others the runtime has assigned them.
void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num, ompt_data_t* task_data,
                   ompt_data_t* target_task_data, ompt_data_t* target_data, const void* codeptr_ra) noexcept;
void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num, ompt_data_t* task_data,
               ompt_id_t target_id, const void* codeptr_ra) noexcept;
void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task_data, ompt_data_t* target_data,
                           ompt_id_t* host_op_id, ompt_target_data_op_t optype, void* src_addr, int src_device_num,
                           void* dest_addr, int dest_device_num, std::size_t bytes, const void* codeptr_ra) noexcept;
void on_target_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype, void* src_addr,
                       int src_device_num, void* dest_addr, int dest_device_num, std::size_t bytes,
                       const void* codeptr_ra) noexcept;
void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t* target_data, ompt_id_t* host_op_id,
                          unsigned int requested_num_teams) noexcept;
void on_target_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned int requested_num_teams) noexcept;
void on_target_map_emi(ompt_data_t* target_data, unsigned int nitems, void** host_addr, void** device_addr,
                       std::size_t* bytes, unsigned int* mapping_flags, const void* codeptr_ra) noexcept;
void on_target_map(ompt_id_t target_id, unsigned int nitems, void** host_addr, void** device_addr, std::size_t* bytes,
                   unsigned int* mapping_flags, const void* codeptr_ra) noexcept;

// Devices themselves (device.cpp): rare, may allocate, lock and load a provider.
void on_device_initialize(int device_num, const char* type, ompt_device_t* device, ompt_function_lookup_t lookup,
                          const char* documentation) noexcept;
void on_device_finalize(int device_num) noexcept;
void on_device_load(int device_num, const char* filename, std::int64_t offset_in_file, void* vma_in_file,
                    std::size_t bytes, void* host_addr, void* device_addr, std::uint64_t module_id) noexcept;
void on_device_unload(int device_num, std::uint64_t module_id) noexcept;

}  // namespace tracer::ompt
