// SPDX-License-Identifier: BSD-3-Clause
// A scope with a task reduction calls GOMP_scope_start, which libomp does not have. The line "kept" is what the program
// has counted itself.
#include <stdio.h>
int main(void) {
  int x = 0, members = 0;
#pragma omp parallel num_threads(4)
#pragma omp scope reduction(task, + : x)
  {
#pragma omp atomic
    ++members;
#pragma omp task in_reduction(+ : x)
    x += 1;
  }
  printf("sum %d\nkept regions 1 members %d tasks %d\n", x, members, x);
  return x != 4;
}
