// SPDX-License-Identifier: BSD-3-Clause
// Critical regions of 100 ms that two threads want at once: the second waits as long as the first holds it.
#include <omp.h>
#include <stdio.h>
#include <time.h>

int main(void) {
  int n = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
#pragma omp critical
    {
      const struct timespec time = {0, 200000000};
      nanosleep(&time, NULL);
      ++n;
    }
  }
  printf("%d\n", n);
  return 0;
}
