// SPDX-License-Identifier: BSD-3-Clause
// A chain of eight tasks that depend on each other, 50 ms each, and four that do not, 100 ms each.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static void work(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

int main(void) {
  int link = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inout : link)
      {
        work(50);
        ++link;
      }
    }
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      work(100);
    }
  }
  printf("%d\n", link);
  return 0;
}
