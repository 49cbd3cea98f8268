/* SPDX-License-Identifier: BSD-3-Clause
 * Events on many threads without contention: each takes a lock of its own, so that the CPU time per
 * event tells what the number of threads costs. With 0 locks the threads only come into being. */
#include <omp.h>

#include "kernel.h"

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const long total = kernel_argument(argc, argv, 1, 1000000);
  const long locks = total / omp_get_max_threads();
#pragma omp parallel
  __asm__ volatile("" ::: "memory");
  const double begin = kernel_now(), cpu_begin = cpu_now();
#pragma omp parallel
  {
    omp_lock_t mine;
    omp_init_lock(&mine);
    for (long i = 0; i < locks; ++i) {
      omp_set_lock(&mine);
      omp_unset_lock(&mine);
    }
    omp_destroy_lock(&mine);
  }
  printf("cpu %.9f\n", cpu_now() - cpu_begin);
  return kernel_done(begin, 1);
}
