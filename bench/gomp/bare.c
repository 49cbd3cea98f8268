/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that a library before libgomp can do: for each record that Tracer makes it reads the clock and stores 32
 * bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

struct record {
  uint64_t time, head, b, c;
};
static __thread struct record ring[4096] __attribute__((tls_model("initial-exec")));
static __thread unsigned at __attribute__((tls_model("initial-exec")));
static inline void record(uint64_t head, uint64_t b, const void* c) {
  struct record* slot = &ring[at++ & 4095];
  *slot = (struct record){__rdtsc(), head, b, (uint64_t)c};
  __asm__ volatile("" : : "r"(slot) : "memory"); /* nobody reads it: the compiler would leave the stores out */
}

typedef void (*function)(void*);
#define NEXT(name) static __typeof__(&name) next_##name
#define FIND(name) next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define CODE __builtin_return_address(0)

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_barrier(void);
void GOMP_taskwait(void);
bool GOMP_single_start(void);
void GOMP_task(function, void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int, void*);
bool GOMP_loop_nonmonotonic_dynamic_start(long, long, long, long, long*, long*);
bool GOMP_loop_nonmonotonic_dynamic_next(long*, long*);
void GOMP_loop_end_nowait(void);
void GOMP_parallel(function, void*, unsigned, unsigned);
void omp_set_lock(void*);
void omp_unset_lock(void*);
NEXT(GOMP_critical_start);
NEXT(GOMP_critical_end);
NEXT(GOMP_barrier);
NEXT(GOMP_taskwait);
NEXT(GOMP_single_start);
NEXT(GOMP_task);
NEXT(GOMP_loop_nonmonotonic_dynamic_start);
NEXT(GOMP_loop_nonmonotonic_dynamic_next);
NEXT(GOMP_loop_end_nowait);
NEXT(GOMP_parallel);
NEXT(omp_set_lock);
NEXT(omp_unset_lock);

__attribute__((constructor)) static void find(void) {
  FIND(GOMP_critical_start);
  FIND(GOMP_critical_end);
  FIND(GOMP_barrier);
  FIND(GOMP_taskwait);
  FIND(GOMP_single_start);
  FIND(GOMP_task);
  FIND(GOMP_loop_nonmonotonic_dynamic_start);
  FIND(GOMP_loop_nonmonotonic_dynamic_next);
  FIND(GOMP_loop_end_nowait);
  FIND(GOMP_parallel);
  FIND(omp_set_lock);
  FIND(omp_unset_lock);
}

void GOMP_critical_start(void) {
  record(18, 5, CODE);
  next_GOMP_critical_start();
  record(19, 5, CODE);
}
void GOMP_critical_end(void) {
  record(20, 5, CODE);
  next_GOMP_critical_end();
}
void omp_set_lock(void* lock) {
  record(18, (uint64_t)lock, CODE);
  next_omp_set_lock(lock);
  record(19, (uint64_t)lock, CODE);
}
void omp_unset_lock(void* lock) {
  record(20, (uint64_t)lock, CODE);
  next_omp_unset_lock(lock);
}
void GOMP_barrier(void) {
  record(12, 0, CODE);
  record(13, 0, CODE);
  next_GOMP_barrier();
  record(13, 1, CODE);
  record(12, 1, CODE);
}
void GOMP_taskwait(void) {
  record(12, 0, CODE);
  record(13, 0, CODE);
  next_GOMP_taskwait();
  record(13, 1, CODE);
  record(12, 1, CODE);
}
bool GOMP_single_start(void) { /* the executor's end of the one before, and its begin */
  const bool mine = next_GOMP_single_start();
  record(15, 0, CODE);
  record(15, 1, CODE);
  return mine;
}
void GOMP_task(function run, void* data, void (*copy)(void*, void*), long size, long align, bool condition,
               unsigned flags, void** depend, int priority, void* detach) {
  record(8, 0, CODE);
  record(9, 0, CODE);
  next_GOMP_task(run, data, copy, size, align, condition, flags, depend, priority, detach);
  record(9, 1, CODE);
}
bool GOMP_loop_nonmonotonic_dynamic_start(long a, long b, long c, long d, long* e, long* f) {
  record(15, 0, CODE);
  return next_GOMP_loop_nonmonotonic_dynamic_start(a, b, c, d, e, f);
}
bool GOMP_loop_nonmonotonic_dynamic_next(long* e, long* f) {
  return next_GOMP_loop_nonmonotonic_dynamic_next(e, f);
}
void GOMP_loop_end_nowait(void) {
  record(15, 1, CODE);
  next_GOMP_loop_end_nowait();
}
void GOMP_parallel(function run, void* data, unsigned threads, unsigned flags) {
  record(4, 0, CODE);
  record(6, 0, CODE);
  next_GOMP_parallel(run, data, threads, flags);
  for (int i = 0; i < 4; ++i) record(12, 1, CODE);
  record(6, 1, CODE);
  record(5, 0, CODE);
}
