// SPDX-License-Identifier: BSD-3-Clause
// `taskwait depend` on every thread, in later regions, in tasks that a thread runs while it waits
// likewise, and in tasks that run inside the join barrier: libomp asserts that its word for the
// waiting task's data is NULL, and a tool that leaves an id there aborts the program.
#include <omp.h>
#include <stdio.h>

static int wrong;

static void wait_for_two(int depth) {
  int x = 0, y = 0;
#pragma omp task depend(out : x) shared(x)
  {
    x = 1;
    if (depth > 0) wait_for_two(depth - 1);
  }
#pragma omp task depend(out : y) shared(y)
  {
    y = 1;
    if (depth > 0) wait_for_two(depth - 1);
  }
#pragma omp taskwait depend(in : x)
  if (x != 1) {
#pragma omp atomic
    wrong++;
  }
#pragma omp taskwait
}

int main(void) {
  for (int r = 0; r < 20; r++) {
#pragma omp parallel
    {
#pragma omp task
      wait_for_two(2);
      wait_for_two(1);
    }
  }
  printf("wrong %d\n", wrong);
  return wrong != 0;
}
