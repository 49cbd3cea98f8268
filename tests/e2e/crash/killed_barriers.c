// SPDX-License-Identifier: BSD-3-Clause
// Barriers for ever: the witness counts those that are behind the master.
#include <time.h>

#include "witness.h"

int main(void) {
  volatile uint64_t* done = witness();
#pragma omp parallel num_threads(2)
  for (;;) {
#pragma omp barrier
#pragma omp master
    {
      *done += 1;
      struct timespec pause = {0, 20000};
      nanosleep(&pause, 0);
    }
  }
}
