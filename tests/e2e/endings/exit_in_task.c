// SPDX-License-Identifier: BSD-3-Clause
// Calls exit(6) inside an explicit task, on whatever thread runs it.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      puts("leaving from a task");
      exit(6);
    }
#pragma omp taskwait
  }
  return 0;
}
