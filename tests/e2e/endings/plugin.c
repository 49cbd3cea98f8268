// SPDX-License-Identifier: BSD-3-Clause
// A plugin that uses OpenMP, in a program that does not.
int plugin_sum(int n) {
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}
