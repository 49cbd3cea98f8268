/* SPDX-License-Identifier: BSD-3-Clause
 * Many events: a barrier loop that also keeps the longest time between two iterations on the master,
 * which is the worst stall of the program. */
#include "kernel.h"

int main(int argc, char** argv) {
  const long barriers = kernel_argument(argc, argv, 1, 1000000);
  double worst = 0;
  const double begin = kernel_now();
#pragma omp parallel shared(worst)
  {
    double last = kernel_now();
    for (long i = 0; i < barriers; ++i) {
#pragma omp barrier
      if (i % 16 == 0) {
#pragma omp master
        {
          const double now = kernel_now();
          if (now - last > worst) worst = now - last;
          last = now;
        }
      }
    }
  }
  printf("stall %.9f\n", worst);
  return kernel_done(begin, 1);
}
