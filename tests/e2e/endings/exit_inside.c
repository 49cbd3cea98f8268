// SPDX-License-Identifier: BSD-3-Clause
// Calls exit(5) inside a parallel region, on the master, while the others wait at the barrier.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      puts("leaving from inside");
      exit(5);
    }
#pragma omp barrier
  }
  return 0;
}
