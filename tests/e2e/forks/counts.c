// SPDX-License-Identifier: BSD-3-Clause
// A library with one region, which an interpreter loads late.
int count_in_region(int n) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) sum += 1;
  }
  return sum;
}
