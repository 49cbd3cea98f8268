// SPDX-License-Identifier: BSD-3-Clause
// Target regions that the host runs, in teams: their thread is a team of its own in them. Some members of the team go
// through constructs there that the others do not come to.
#include <omp.h>
#include <stdio.h>

static long total;
#define ADD(n) __atomic_add_fetch(&total, (long)(n), __ATOMIC_RELAXED)

static void alone(int n) {
#pragma omp single
  ADD(omp_get_num_threads());
#pragma omp barrier
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp sections
  {
#pragma omp section
    ADD(1);
#pragma omp section
    ADD(2);
  }
#pragma omp critical
  ADD(3);
#pragma omp task
  ADD(4);
#pragma omp taskwait
}

static void in_team(int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp target if (0)
#pragma omp single
    ADD(omp_get_num_threads());
    for (int round = 0; round < omp_get_thread_num(); ++round) {
#pragma omp target if (0)
      alone(10);
    }
#pragma omp barrier
#pragma omp single
    ADD(100);
    if (omp_get_thread_num() == 0) {
#pragma omp target if (0)
      {
#pragma omp parallel num_threads(2)
        alone(4);
#pragma omp barrier
      }
    }
#pragma omp target teams num_teams(2) if (0)
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; ++i) ADD(i);
  }
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int n = 1; n <= 4; ++n) {
    in_team(n);
    printf("%d: %ld\n", n, total);
  }
#pragma omp target if (0)
  alone(5);
  printf("total %ld\n", total);
  return 0;
}
