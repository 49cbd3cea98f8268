// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions with a critical section for ever: the witness counts the sections that are left.
#include <time.h>

#include "witness.h"

int main(void) {
  volatile uint64_t* done = witness();
  for (;;) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      *done += 1;
    }
    struct timespec pause = {0, 20000};
    nanosleep(&pause, 0);
  }
}
