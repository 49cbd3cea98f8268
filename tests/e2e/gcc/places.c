// SPDX-License-Identifier: BSD-3-Clause
// Constructs whose lines must be those of their pragmas: a comment at the end of a pragma's line names what the report
// calls it. Many stand last in their function, where compilers make a jump of the call. With ~ it may be a line near
// it: GCC gives the call none. With ~12 only up to that version: GCC 16 places the call into the inlined function.
#include <omp.h>

static volatile long counter;

__attribute__((noinline)) static void ends_with_region(void) {
#pragma omp parallel num_threads(2)  // parallel
  __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void ends_with_barrier(void) {
  ++counter;
#pragma omp barrier  // barrier
}

__attribute__((noinline)) static void ends_with_taskwait(void) {
  ++counter;
#pragma omp taskwait  // taskwait
}

__attribute__((noinline)) static void ends_with_task(void) {
#pragma omp task  // create task
  ++counter;
}

/// What follows a call of it has the call's line at most, not one in here.
__attribute__((always_inline)) static inline void is_inlined(int times) {
  while (__atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED) % 7 != 0 && times > 0) --times;
}

int main(void) {
  ends_with_region();
#pragma omp parallel num_threads(2)  // parallel
  {
#pragma omp critical  // critical
    ++counter;
#pragma omp for schedule(dynamic)  // for~
    for (int i = 0; i < 10; ++i) __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
    ends_with_barrier();
#pragma omp single  // single~
    {
      ends_with_task();
      ends_with_taskwait();
    }
#pragma omp barrier  // barrier
  }
#pragma omp parallel for num_threads(2) schedule(dynamic)  // parallel, for
  for (int i = 0; i < 10; ++i) __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(2)  // parallel
  {
    __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
#pragma omp barrier  // barrier
  }
#pragma omp parallel num_threads(2)  // parallel
  {
    __atomic_add_fetch(&counter, 2, __ATOMIC_RELAXED);
#pragma omp taskloop grainsize(2)  // taskloop, taskgroup
    for (int i = 0; i < 10; ++i) __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  }
#pragma omp parallel num_threads(2)  // parallel
  {
    is_inlined(9);
#pragma omp single  // single~12
    ++counter;
  }
  return counter == 0;
}
