// SPDX-License-Identifier: BSD-3-Clause
// Burns processor time in functions of known shares, under a loop, in tasks and in serial code, and says what it burnt:
//   function NANOSECONDS        of processor time, by the threads' own clocks
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

BURN(burn_serial, 20000)
BURN(burn_loop_a, 20000)
BURN(burn_loop_b, 20000)
BURN(burn_task, 20000)

__attribute__((noinline)) double solve(long long unit) {
  double sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 4; ++i) sum += burn_loop_a(unit) + burn_loop_b(2 * unit);
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      burn_task(3 * unit);
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  const long long unit = (argc > 1 ? atoll(argv[1]) : 20) * 1000000LL;
  if (omp_get_max_threads() < 1) return 1;  // starts the runtime, and with it the tool
  double sum = burn_serial(8 * unit);
  sum += solve(unit);
  printf("%f\n", sum > 0 ? 1.0 : 0.0);
  printf("burn_serial %lld\nburn_loop_a %lld\nburn_loop_b %lld\nburn_task %lld\n", burn_serial_ns, burn_loop_a_ns,
         burn_loop_b_ns, burn_task_ns);
  return 0;
}
