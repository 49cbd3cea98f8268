// SPDX-License-Identifier: BSD-3-Clause
// Undeferred tasks with mutexinoutset dependences: libomp writes behind its list of them for every tool that listens to
// dependences, and aborts the program at one of its next allocations.
#include <stdio.h>

int main(void) {
  int first = 0, second = 0, done = 0;
  for (int r = 0; r < 100; r++) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(first, done) depend(inout : first)
      done++;
#pragma omp task shared(first, done) depend(mutexinoutset : first) if (0)
      done++;
#pragma omp task shared(first, second, done) depend(mutexinoutset : first, second) if (0)
      done++;
#pragma omp task shared(first, second, done) depend(inout : first) depend(mutexinoutset : second)
      done++;
    }
  }
  printf("done %d\n", done);
  return done != 400;
}
