// SPDX-License-Identifier: BSD-3-Clause
// 10 regions of two threads, with 20 tasks in each. With -DWITH_TOOL the tool is part of the program.
#include <omp.h>
#include <stdio.h>
#ifdef WITH_TOOL
#include "counting_tool.c"
#endif

int main(void) {
  long n = 0;
  for (int region = 0; region < 10; ++region) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(n)
      {
#pragma omp atomic
        n++;
      }
    }
  }
  printf("n %ld\n", n);
  return 3;
}
