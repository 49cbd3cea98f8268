// SPDX-License-Identifier: BSD-3-Clause
// The constructs for which GCC's code is odd: static loops and masked give no event, sections come as a loop, the
// executor of `single` never ends it.
#include <omp.h>
#include <stdio.h>

int main(void) {
  static volatile int cell[16];
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 16; i++) cell[i] = i;
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < 16; i++) cell[i] += i;
#pragma omp sections
    {
#pragma omp section
      cell[0] = 1;
#pragma omp section
      cell[1] = 2;
    }
#pragma omp single
    cell[2] = 3;
#pragma omp master
    cell[3] = 4;
#pragma omp critical
    cell[4]++;
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      cell[5]++;
#pragma omp taskwait
    }
    sum += omp_get_thread_num();
  }
  printf("%d\n", sum);
  return sum == 1 ? 0 : 1;
}
