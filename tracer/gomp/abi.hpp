// SPDX-License-Identifier: BSD-3-Clause
// What GCC's compilers call in libgomp, of GCC 4.2 to 16, as far as it is listened to: declarations, and the lists that
// the table of a libgomp's functions and the numbers of the entry points are made from.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracer::gomp {
using Function = void (*)(void*);
using Copy = void (*)(void*, void*);
using Unsigned = unsigned long long;
using Lock = void;  ///< omp_lock_t, omp_nest_lock_t, or what Fortran has for them
}  // namespace tracer::gomp

// Loops by schedule: M(name, work type). Those of the second list get a chunk's size.
#define TRACER_GOMP_RUNTIME_LOOPS(M)  \
  M(runtime, loop_other)              \
  M(ordered_runtime, loop_other)      \
  M(nonmonotonic_runtime, loop_other) \
  M(maybe_nonmonotonic_runtime, loop_other)
#define TRACER_GOMP_CHUNKED_LOOPS(M)    \
  M(static, loop_static)                \
  M(dynamic, loop_dynamic)              \
  M(guided, loop_guided)                \
  M(ordered_static, loop_static)        \
  M(ordered_dynamic, loop_dynamic)      \
  M(ordered_guided, loop_guided)        \
  M(nonmonotonic_dynamic, loop_dynamic) \
  M(nonmonotonic_guided, loop_guided)
#define TRACER_GOMP_DOACROSS_LOOPS(M) \
  M(static, loop_static)              \
  M(dynamic, loop_dynamic)            \
  M(guided, loop_guided)
// Regions that are a loop.
#define TRACER_GOMP_PARALLEL_CHUNKED(M) \
  M(static, loop_static)                \
  M(dynamic, loop_dynamic)              \
  M(guided, loop_guided)                \
  M(nonmonotonic_dynamic, loop_dynamic) \
  M(nonmonotonic_guided, loop_guided)
#define TRACER_GOMP_PARALLEL_RUNTIME(M) \
  M(runtime, loop_other)                \
  M(nonmonotonic_runtime, loop_other)   \
  M(maybe_nonmonotonic_runtime, loop_other)
// The same in GCC before 4.9.
#define TRACER_GOMP_OLD_CHUNKED(M) \
  M(static, loop_static)           \
  M(dynamic, loop_dynamic)         \
  M(guided, loop_guided)
// Locks in C, and with the ending _ in Fortran: M(name, result).
#define TRACER_GOMP_LOCKS(M)      \
  M(omp_init_lock, void)          \
  M(omp_destroy_lock, void)       \
  M(omp_set_lock, void)           \
  M(omp_unset_lock, void)         \
  M(omp_test_lock, int)           \
  M(omp_init_nest_lock, void)     \
  M(omp_destroy_nest_lock, void)  \
  M(omp_set_nest_lock, void)      \
  M(omp_unset_nest_lock, void)    \
  M(omp_test_nest_lock, int)      \
  M(omp_init_lock_, void)         \
  M(omp_destroy_lock_, void)      \
  M(omp_set_lock_, void)          \
  M(omp_unset_lock_, void)        \
  M(omp_test_lock_, int)          \
  M(omp_init_nest_lock_, void)    \
  M(omp_destroy_nest_lock_, void) \
  M(omp_set_nest_lock_, void)     \
  M(omp_unset_nest_lock_, void)   \
  M(omp_test_nest_lock_, int)

#pragma GCC visibility push(default)
extern "C" {
using tracer::gomp::Copy;
using tracer::gomp::Function;
using tracer::gomp::Lock;
using tracer::gomp::Unsigned;

void GOMP_parallel(Function, void* data, unsigned threads, unsigned flags);
unsigned GOMP_parallel_reductions(Function, void* data, unsigned threads, unsigned flags);
void GOMP_parallel_sections(Function, void* data, unsigned threads, unsigned count, unsigned flags);
void GOMP_parallel_start(Function, void* data, unsigned threads);
void GOMP_parallel_sections_start(Function, void* data, unsigned threads, unsigned count);
void GOMP_parallel_end();
void GOMP_teams_reg(Function, void* data, unsigned teams, unsigned limit, unsigned flags);

#define TRACER_DECLARE(name, type)                                                                                    \
  void GOMP_parallel_loop_##name(Function, void* data, unsigned threads, long start, long end, long step, long chunk, \
                                 unsigned flags);
TRACER_GOMP_PARALLEL_CHUNKED(TRACER_DECLARE)
#undef TRACER_DECLARE
#define TRACER_DECLARE(name, type)                                                                        \
  void GOMP_parallel_loop_##name(Function, void* data, unsigned threads, long start, long end, long step, \
                                 unsigned flags);
TRACER_GOMP_PARALLEL_RUNTIME(TRACER_DECLARE)
#undef TRACER_DECLARE
#define TRACER_DECLARE(name, type)                                                                                \
  void GOMP_parallel_loop_##name##_start(Function, void* data, unsigned threads, long start, long end, long step, \
                                         long chunk);
TRACER_GOMP_OLD_CHUNKED(TRACER_DECLARE)
#undef TRACER_DECLARE
void GOMP_parallel_loop_runtime_start(Function, void* data, unsigned threads, long start, long end, long step);

#define TRACER_DECLARE(name, type)                                                                        \
  bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long* first, long* last);    \
  bool GOMP_loop_##name##_next(long* first, long* last);                                                  \
  bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned chunk, \
                                    Unsigned* first, Unsigned* last);                                     \
  bool GOMP_loop_ull_##name##_next(Unsigned* first, Unsigned* last);
TRACER_GOMP_CHUNKED_LOOPS(TRACER_DECLARE)
#undef TRACER_DECLARE
#define TRACER_DECLARE(name, type)                                                                         \
  bool GOMP_loop_##name##_start(long start, long end, long step, long* first, long* last);                 \
  bool GOMP_loop_##name##_next(long* first, long* last);                                                   \
  bool GOMP_loop_ull_##name##_start(bool up, Unsigned start, Unsigned end, Unsigned step, Unsigned* first, \
                                    Unsigned* last);                                                       \
  bool GOMP_loop_ull_##name##_next(Unsigned* first, Unsigned* last);
TRACER_GOMP_RUNTIME_LOOPS(TRACER_DECLARE)
#undef TRACER_DECLARE
#define TRACER_DECLARE(name, type)                                                                              \
  bool GOMP_loop_doacross_##name##_start(unsigned counts, long* count, long chunk, long* first, long* last);    \
  bool GOMP_loop_ull_doacross_##name##_start(unsigned counts, Unsigned* count, Unsigned chunk, Unsigned* first, \
                                             Unsigned* last);
TRACER_GOMP_DOACROSS_LOOPS(TRACER_DECLARE)
#undef TRACER_DECLARE
bool GOMP_loop_doacross_runtime_start(unsigned counts, long* count, long* first, long* last);
bool GOMP_loop_ull_doacross_runtime_start(unsigned counts, Unsigned* count, Unsigned* first, Unsigned* last);
bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long* first, long* last,
                     std::uintptr_t* reductions, void** memory);
bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long* first, long* last,
                             std::uintptr_t* reductions, void** memory);
bool GOMP_loop_doacross_start(unsigned counts, long* count, long schedule, long chunk, long* first, long* last,
                              std::uintptr_t* reductions, void** memory);
bool GOMP_loop_ull_start(bool up, Unsigned start, Unsigned end, Unsigned step, long schedule, Unsigned chunk,
                         Unsigned* first, Unsigned* last, std::uintptr_t* reductions, void** memory);
bool GOMP_loop_ull_ordered_start(bool up, Unsigned start, Unsigned end, Unsigned step, long schedule, Unsigned chunk,
                                 Unsigned* first, Unsigned* last, std::uintptr_t* reductions, void** memory);
bool GOMP_loop_ull_doacross_start(unsigned counts, Unsigned* count, long schedule, Unsigned chunk, Unsigned* first,
                                  Unsigned* last, std::uintptr_t* reductions, void** memory);
void GOMP_loop_end();
bool GOMP_loop_end_cancel();
void GOMP_loop_end_nowait();
void GOMP_doacross_post(long* counts);
void GOMP_doacross_ull_post(Unsigned* counts);
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_wait(Unsigned first, ...);

unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory);
unsigned GOMP_sections_next();
void GOMP_sections_end();
bool GOMP_sections_end_cancel();
void GOMP_sections_end_nowait();
bool GOMP_single_start();
void* GOMP_single_copy_start();
void GOMP_single_copy_end(void* data);
void GOMP_scope_start(std::uintptr_t* reductions);
void GOMP_workshare_task_reduction_unregister(bool cancelled);

void GOMP_barrier();
bool GOMP_barrier_cancel();
bool GOMP_cancel(int which, bool really);
bool GOMP_cancellation_point(int which);
void GOMP_critical_start();
void GOMP_critical_end();
void GOMP_critical_name_start(void** name);
void GOMP_critical_name_end(void** name);
void GOMP_atomic_start();
void GOMP_atomic_end();
void GOMP_ordered_start();
void GOMP_ordered_end();

void GOMP_task(Function, void* data, Copy, long size, long alignment, bool condition, unsigned flags, void** depend,
               int priority, void* detach);
void GOMP_taskloop(Function, void* data, Copy, long size, long alignment, unsigned flags, unsigned long tasks,
                   int priority, long start, long end, long step);
void GOMP_taskloop_ull(Function, void* data, Copy, long size, long alignment, unsigned flags, unsigned long tasks,
                       int priority, Unsigned start, Unsigned end, Unsigned step);
void GOMP_taskwait();
void GOMP_taskwait_depend(void** depend);
void GOMP_taskwait_depend_nowait(void** depend);
void GOMP_taskyield();
void GOMP_taskgroup_start();
void GOMP_taskgroup_end();

void GOMP_target(int device, Function, const void* unused, std::size_t count, void** addresses, std::size_t* sizes,
                 unsigned char* kinds);
void GOMP_target_ext(int device, Function, std::size_t count, void** addresses, std::size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments);
void GOMP_target_data(int device, const void* unused, std::size_t count, void** addresses, std::size_t* sizes,
                      unsigned char* kinds);
void GOMP_target_data_ext(int device, std::size_t count, void** addresses, std::size_t* sizes, unsigned short* kinds);
void GOMP_target_end_data();
void GOMP_target_update(int device, const void* unused, std::size_t count, void** addresses, std::size_t* sizes,
                        unsigned char* kinds);
void GOMP_target_update_ext(int device, std::size_t count, void** addresses, std::size_t* sizes, unsigned short* kinds,
                            unsigned flags, void** depend);
void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses, std::size_t* sizes,
                                 unsigned short* kinds, unsigned flags, void** depend);

#define TRACER_DECLARE(name, result) result name(Lock*);
TRACER_GOMP_LOCKS(TRACER_DECLARE)
#undef TRACER_DECLARE
}
#pragma GCC visibility pop

// All of them: M(name).
#define TRACER_GOMP_LOOP_NAMES_(name, type)   \
  TRACER_GOMP_M(GOMP_loop_##name##_start)     \
  TRACER_GOMP_M(GOMP_loop_##name##_next)      \
  TRACER_GOMP_M(GOMP_loop_ull_##name##_start) \
  TRACER_GOMP_M(GOMP_loop_ull_##name##_next)
#define TRACER_GOMP_DOACROSS_NAMES_(name, type)    \
  TRACER_GOMP_M(GOMP_loop_doacross_##name##_start) \
  TRACER_GOMP_M(GOMP_loop_ull_doacross_##name##_start)
#define TRACER_GOMP_PARALLEL_NAME_(name, type) TRACER_GOMP_M(GOMP_parallel_loop_##name)
#define TRACER_GOMP_OLD_NAME_(name, type) TRACER_GOMP_M(GOMP_parallel_loop_##name##_start)
#define TRACER_GOMP_LOCK_NAME_(name, result) TRACER_GOMP_M(name)

/// Needs TRACER_GOMP_M(name).
#define TRACER_GOMP_ENTRIES                                \
  TRACER_GOMP_M(GOMP_parallel)                             \
  TRACER_GOMP_M(GOMP_parallel_reductions)                  \
  TRACER_GOMP_M(GOMP_parallel_sections)                    \
  TRACER_GOMP_M(GOMP_parallel_start)                       \
  TRACER_GOMP_M(GOMP_parallel_sections_start)              \
  TRACER_GOMP_M(GOMP_parallel_end)                         \
  TRACER_GOMP_M(GOMP_teams_reg)                            \
  TRACER_GOMP_PARALLEL_CHUNKED(TRACER_GOMP_PARALLEL_NAME_) \
  TRACER_GOMP_PARALLEL_RUNTIME(TRACER_GOMP_PARALLEL_NAME_) \
  TRACER_GOMP_OLD_CHUNKED(TRACER_GOMP_OLD_NAME_)           \
  TRACER_GOMP_M(GOMP_parallel_loop_runtime_start)          \
  TRACER_GOMP_CHUNKED_LOOPS(TRACER_GOMP_LOOP_NAMES_)       \
  TRACER_GOMP_RUNTIME_LOOPS(TRACER_GOMP_LOOP_NAMES_)       \
  TRACER_GOMP_DOACROSS_LOOPS(TRACER_GOMP_DOACROSS_NAMES_)  \
  TRACER_GOMP_M(GOMP_loop_doacross_runtime_start)          \
  TRACER_GOMP_M(GOMP_loop_ull_doacross_runtime_start)      \
  TRACER_GOMP_M(GOMP_loop_start)                           \
  TRACER_GOMP_M(GOMP_loop_ordered_start)                   \
  TRACER_GOMP_M(GOMP_loop_doacross_start)                  \
  TRACER_GOMP_M(GOMP_loop_ull_start)                       \
  TRACER_GOMP_M(GOMP_loop_ull_ordered_start)               \
  TRACER_GOMP_M(GOMP_loop_ull_doacross_start)              \
  TRACER_GOMP_M(GOMP_loop_end)                             \
  TRACER_GOMP_M(GOMP_loop_end_cancel)                      \
  TRACER_GOMP_M(GOMP_loop_end_nowait)                      \
  TRACER_GOMP_M(GOMP_doacross_post)                        \
  TRACER_GOMP_M(GOMP_doacross_ull_post)                    \
  TRACER_GOMP_M(GOMP_doacross_wait)                        \
  TRACER_GOMP_M(GOMP_doacross_ull_wait)                    \
  TRACER_GOMP_M(GOMP_sections_start)                       \
  TRACER_GOMP_M(GOMP_sections2_start)                      \
  TRACER_GOMP_M(GOMP_sections_next)                        \
  TRACER_GOMP_M(GOMP_sections_end)                         \
  TRACER_GOMP_M(GOMP_sections_end_cancel)                  \
  TRACER_GOMP_M(GOMP_sections_end_nowait)                  \
  TRACER_GOMP_M(GOMP_single_start)                         \
  TRACER_GOMP_M(GOMP_single_copy_start)                    \
  TRACER_GOMP_M(GOMP_single_copy_end)                      \
  TRACER_GOMP_M(GOMP_scope_start)                          \
  TRACER_GOMP_M(GOMP_workshare_task_reduction_unregister)  \
  TRACER_GOMP_M(GOMP_barrier)                              \
  TRACER_GOMP_M(GOMP_barrier_cancel)                       \
  TRACER_GOMP_M(GOMP_cancel)                               \
  TRACER_GOMP_M(GOMP_cancellation_point)                   \
  TRACER_GOMP_M(GOMP_critical_start)                       \
  TRACER_GOMP_M(GOMP_critical_end)                         \
  TRACER_GOMP_M(GOMP_critical_name_start)                  \
  TRACER_GOMP_M(GOMP_critical_name_end)                    \
  TRACER_GOMP_M(GOMP_atomic_start)                         \
  TRACER_GOMP_M(GOMP_atomic_end)                           \
  TRACER_GOMP_M(GOMP_ordered_start)                        \
  TRACER_GOMP_M(GOMP_ordered_end)                          \
  TRACER_GOMP_M(GOMP_task)                                 \
  TRACER_GOMP_M(GOMP_taskloop)                             \
  TRACER_GOMP_M(GOMP_taskloop_ull)                         \
  TRACER_GOMP_M(GOMP_taskwait)                             \
  TRACER_GOMP_M(GOMP_taskwait_depend)                      \
  TRACER_GOMP_M(GOMP_taskwait_depend_nowait)               \
  TRACER_GOMP_M(GOMP_taskyield)                            \
  TRACER_GOMP_M(GOMP_taskgroup_start)                      \
  TRACER_GOMP_M(GOMP_taskgroup_end)                        \
  TRACER_GOMP_M(GOMP_target)                               \
  TRACER_GOMP_M(GOMP_target_ext)                           \
  TRACER_GOMP_M(GOMP_target_data)                          \
  TRACER_GOMP_M(GOMP_target_data_ext)                      \
  TRACER_GOMP_M(GOMP_target_end_data)                      \
  TRACER_GOMP_M(GOMP_target_update)                        \
  TRACER_GOMP_M(GOMP_target_update_ext)                    \
  TRACER_GOMP_M(GOMP_target_enter_exit_data)               \
  TRACER_GOMP_LOCKS(TRACER_GOMP_LOCK_NAME_)
