// SPDX-License-Identifier: BSD-3-Clause
// What GCC before 4.9 called: the master runs its part of the region between two calls.
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*function)(void*), void* data, unsigned threads);
void GOMP_parallel_end(void);
void GOMP_parallel_loop_dynamic_start(void (*function)(void*), void* data, unsigned threads, long start, long end,
                                      long step, long chunk);
void GOMP_parallel_loop_static_start(void (*function)(void*), void* data, unsigned threads, long start, long end,
                                     long step, long chunk);
void GOMP_parallel_loop_runtime_start(void (*function)(void*), void* data, unsigned threads, long start, long end,
                                      long step);
void GOMP_parallel_sections_start(void (*function)(void*), void* data, unsigned threads, unsigned count);
bool GOMP_loop_dynamic_next(long* first, long* last);
void GOMP_loop_end_nowait(void);
unsigned GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);
void GOMP_barrier(void);

static long total;
#define ADD(n) __atomic_add_fetch(&total, (long)(n), __ATOMIC_RELAXED)

static void deep(void* data) {
  ADD(1);
  const long level = (long)data;
  if (level == 0) return;
  GOMP_parallel_start(deep, (void*)(level - 1), 1);
  deep((void*)(level - 1));
  GOMP_parallel_end();
}
static void region(void* data) {
  ADD(*(long*)data);
  GOMP_barrier();
}
static void loop(void* data) {
  long first, last;
  while (GOMP_loop_dynamic_next(&first, &last)) ADD(last - first);
  GOMP_loop_end_nowait();
  (void)data;
}
static void sections(void* data) {
  for (unsigned n; (n = GOMP_sections_next()) != 0;) ADD(n);
  GOMP_sections_end_nowait();
  (void)data;
}

int main(void) {
  for (int r = 0; r < 20; ++r) {
    long two = 2;
    GOMP_parallel_start(region, &two, 3);
    region(&two);
    GOMP_parallel_end();
    GOMP_parallel_loop_dynamic_start(loop, NULL, 2, 0, 100, 1, 7);
    loop(NULL);
    GOMP_parallel_end();
    GOMP_parallel_sections_start(sections, NULL, 2, 4);
    sections(NULL);
    GOMP_parallel_end();
  }
  deep((void*)20);  // deeper than what is kept
  printf("total %ld\n", total);
  return 0;
}
