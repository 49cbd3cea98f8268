// SPDX-License-Identifier: BSD-3-Clause
// Functions that burn 10, 20, 30 and 40 per cent of the processor time, each in a loop, in tasks and in nested regions:
//   NAME NANOSECONDS        of processor time, by the threads' own clocks
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

BURN(burn_10, 100000)
BURN(burn_20, 100000)
BURN(burn_30, 100000)
BURN(burn_40, 100000)

// The sum is used, so that no call is in tail position.
#define ALL(name)                                                \
  static __attribute__((noinline)) double name(long long unit) { \
    double sum = burn_10(unit);                                  \
    sum += burn_20(2 * unit);                                    \
    sum += burn_30(3 * unit);                                    \
    sum += burn_40(4 * unit);                                    \
    return sum + 1;                                              \
  }
ALL(in_loop)
ALL(in_task)
ALL(in_nested)

int main(int argc, char** argv) {
  const long long unit = (argc > 1 ? atoll(argv[1]) : 20) * 1000000LL;
  double sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2) schedule(static, 1) reduction(+ : sum)
  for (int i = 0; i < 4; ++i) sum += in_loop(unit);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(sum)
    {
      const double one = in_task(unit);
#pragma omp atomic
      sum += one;
    }
  }
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += in_nested(unit);
  }
  printf("%f\n", sum > 0 ? 1.0 : 0.0);
  printf("burn_10 %lld\nburn_20 %lld\nburn_30 %lld\nburn_40 %lld\n", burn_10_ns, burn_20_ns, burn_30_ns, burn_40_ns);
  return 0;
}
