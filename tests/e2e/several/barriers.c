// SPDX-License-Identifier: BSD-3-Clause
// 10 regions of two threads that write, come to a barrier and read what the other has written. No tasks: libomp uses
// their memory again, which libarcher (14) does not tell ThreadSanitizer of every time.
#include <omp.h>
#include <stdio.h>

static long written[2];

int main(void) {
  long n = 0;
  for (int region = 0; region < 10; ++region) {
#pragma omp parallel num_threads(2)
    {
      for (int step = 0; step < 20; ++step) {
        written[omp_get_thread_num()] = step;
#pragma omp barrier
        const long other = written[1 - omp_get_thread_num()];
#pragma omp atomic
        n += other == step;
#pragma omp barrier
      }
    }
  }
  printf("n %ld\n", n);
  return 3;
}
