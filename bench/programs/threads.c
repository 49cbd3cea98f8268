/* SPDX-License-Identifier: BSD-3-Clause
 * Events on many threads without contention: each takes a lock of its own, so that the CPU time per
 * event tells what the number of threads costs. With 0 locks the threads only come into being.
 * "cpu" is what the threads spend between their first lock and their last, "process" what everything does:
 * also a tool's own threads, and the runtime's waiting, which with hundreds of threads is most of it. */
#include <omp.h>

#include "kernel.h"

static double cpu_now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const long total = kernel_argument(argc, argv, 1, 1000000);
  const long locks = total / omp_get_max_threads();
#pragma omp parallel
  __asm__ volatile("" ::: "memory");
  double cpu = 0;
  const double begin = kernel_now(), process_begin = cpu_now(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel reduction(+ : cpu)
  {
    omp_lock_t mine;
    omp_init_lock(&mine);
    const double cpu_begin = cpu_now(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < locks; ++i) {
      omp_set_lock(&mine);
      omp_unset_lock(&mine);
    }
    cpu = cpu_now(CLOCK_THREAD_CPUTIME_ID) - cpu_begin;
    omp_destroy_lock(&mine);
  }
  printf("cpu %.9f\nprocess %.9f\n", cpu, cpu_now(CLOCK_PROCESS_CPUTIME_ID) - process_begin);
  return kernel_done(begin, 1);
}
