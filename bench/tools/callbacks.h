/* SPDX-License-Identifier: BSD-3-Clause
 * Every callback of OMPT with its parameters, and what a handler of the reference tools sees of it:
 * CALLBACK(name, parameters, x, y) for two 64-bit values x and y that a record would keep.
 *
 * EMI variants and the older ones exclude each other in newer runtimes: only the EMI ones are here. */
#ifndef TRACER_BENCH_CALLBACKS_H
#define TRACER_BENCH_CALLBACKS_H

#include <stddef.h>
#include <stdint.h>

#include "omp-tools.h"

#define VALUE(data) ((data) ? (data)->value : 0)
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

#define ALL_CALLBACKS(CALLBACK)                                                                                        \
  CALLBACK(thread_begin, (ompt_thread_t type, ompt_data_t * thread), (uint64_t)type, VALUE(thread))                    \
  CALLBACK(thread_end, (ompt_data_t * thread), VALUE(thread), 0)                                                       \
  CALLBACK(parallel_begin,                                                                                             \
           (ompt_data_t * task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested, int flags,       \
            const void* codeptr),                                                                                      \
           (uint64_t)requested + (uint64_t)flags + VALUE(task) + VALUE(parallel) + (frame != NULL), ADDRESS(codeptr))  \
  CALLBACK(parallel_end, (ompt_data_t * parallel, ompt_data_t * task, int flags, const void* codeptr),                 \
           VALUE(parallel) + VALUE(task) + (uint64_t)flags, ADDRESS(codeptr))                                          \
  CALLBACK(implicit_task,                                                                                              \
           (ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task, unsigned actual,               \
            unsigned index, int flags),                                                                                \
           (uint64_t)endpoint + VALUE(parallel) + (uint64_t)flags, VALUE(task) + actual + index)                       \
  CALLBACK(task_create,                                                                                                \
           (ompt_data_t * task, const ompt_frame_t* frame, ompt_data_t* fresh, int flags, int dependences,             \
            const void* codeptr),                                                                                      \
           VALUE(task) + VALUE(fresh) + (uint64_t)flags + (frame != NULL), ADDRESS(codeptr) + (uint64_t)dependences)   \
  CALLBACK(task_schedule, (ompt_data_t * prior, ompt_task_status_t status, ompt_data_t * next),                        \
           VALUE(prior) + (uint64_t)status, VALUE(next))                                                               \
  CALLBACK(dependences, (ompt_data_t * task, const ompt_dependence_t* list, int number),                               \
           VALUE(task) + (uint64_t)number, ADDRESS(list))                                                              \
  CALLBACK(task_dependence, (ompt_data_t * source, ompt_data_t * sink), VALUE(source), VALUE(sink))                    \
  CALLBACK(work,                                                                                                       \
           (ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,              \
            uint64_t count, const void* codeptr),                                                                      \
           (uint64_t)type + (uint64_t)endpoint + VALUE(parallel) + VALUE(task) + count, ADDRESS(codeptr))              \
  CALLBACK(dispatch, (ompt_data_t * parallel, ompt_data_t * task, ompt_dispatch_t kind, ompt_data_t instance),         \
           VALUE(parallel) + VALUE(task) + (uint64_t)kind, instance.value)                                             \
  CALLBACK(masked, (ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task, const void* codeptr),  \
           (uint64_t)endpoint + VALUE(parallel) + VALUE(task), ADDRESS(codeptr))                                       \
  CALLBACK(sync_region,                                                                                                \
           (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,       \
            const void* codeptr),                                                                                      \
           (uint64_t)kind + (uint64_t)endpoint + VALUE(parallel) + VALUE(task), ADDRESS(codeptr))                      \
  CALLBACK(sync_region_wait,                                                                                           \
           (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,       \
            const void* codeptr),                                                                                      \
           (uint64_t)kind + (uint64_t)endpoint + VALUE(parallel) + VALUE(task), ADDRESS(codeptr))                      \
  CALLBACK(reduction,                                                                                                  \
           (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t * parallel, ompt_data_t * task,       \
            const void* codeptr),                                                                                      \
           (uint64_t)kind + (uint64_t)endpoint + VALUE(parallel) + VALUE(task), ADDRESS(codeptr))                      \
  CALLBACK(mutex_acquire,                                                                                              \
           (ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t wait_id, const void* codeptr),   \
           (uint64_t)kind + hint + implementation + wait_id, ADDRESS(codeptr))                                         \
  CALLBACK(mutex_acquired, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr), (uint64_t)kind + wait_id, \
           ADDRESS(codeptr))                                                                                           \
  CALLBACK(mutex_released, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr), (uint64_t)kind + wait_id, \
           ADDRESS(codeptr))                                                                                           \
  CALLBACK(lock_init,                                                                                                  \
           (ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t wait_id, const void* codeptr),   \
           (uint64_t)kind + hint + implementation + wait_id, ADDRESS(codeptr))                                         \
  CALLBACK(lock_destroy, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void* codeptr), (uint64_t)kind + wait_id,   \
           ADDRESS(codeptr))                                                                                           \
  CALLBACK(nest_lock, (ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void* codeptr),                   \
           (uint64_t)endpoint + wait_id, ADDRESS(codeptr))                                                             \
  CALLBACK(flush, (ompt_data_t * thread, const void* codeptr), VALUE(thread), ADDRESS(codeptr))                        \
  CALLBACK(cancel, (ompt_data_t * task, int flags, const void* codeptr), VALUE(task) + (uint64_t)flags,                \
           ADDRESS(codeptr))

#endif
