/* SPDX-License-Identifier: BSD-3-Clause
 * One empty parallel region: the cost of start and end. */
int main(void) {
#pragma omp parallel
  __asm__ volatile("" ::: "memory");
  return 0;
}
