// SPDX-License-Identifier: BSD-3-Clause
// A library with a region that has a loop; FUNCTION is its name.
#include <omp.h>

int FUNCTION(int n) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) sum += 1;
  }
  return sum;
}
