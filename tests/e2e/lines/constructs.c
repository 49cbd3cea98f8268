// SPDX-License-Identifier: BSD-3-Clause
// One construct of each kind, each on a line of its own: the trace must name these lines.
// Built with and without optimisation and debug information, and as a library that is opened late.
#include <omp.h>
#include <stdio.h>

void all_constructs(void) {
  static int n;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 8; ++i) {
#pragma omp critical
      ++n;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; ++i) {
      omp_set_lock(&lock);
      ++n;
      omp_unset_lock(&lock);
    }
#pragma omp sections
    {
#pragma omp section
      ++n;
    }
#pragma omp masked
    ++n;
#pragma omp barrier
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task
        ++n;
      }
#pragma omp taskwait
    }
  }
  omp_destroy_lock(&lock);
  printf("n %d\n", n);
}
