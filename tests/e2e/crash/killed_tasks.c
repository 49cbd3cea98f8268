// SPDX-License-Identifier: BSD-3-Clause
// Tasks for ever: the witness counts those that are created and waited for.
#include <time.h>

#include "witness.h"

int main(void) {
  volatile uint64_t* done = witness();
#pragma omp parallel num_threads(2)
#pragma omp single
  for (;;) {
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
      { __asm__ volatile("" : : "r"(i)); }
    }
#pragma omp taskwait
    *done += 4;
    struct timespec pause = {0, 20000};
    nanosleep(&pause, 0);
  }
}
