// SPDX-License-Identifier: BSD-3-Clause
// Says whether it runs with other rights than its caller's, and uses OpenMP with names that no terminal should see.
#include <omp.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(void) {
  int sum = 0;
  omp_control_tool(64, 0, "phase \033]0;planted\007\033[31m\nsecond line");
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp critical
    sum += 1;
  }
  omp_control_tool(65, 0, NULL);
  printf("secure %d sum %d\n", getauxval(AT_SECURE) != 0, sum);
  return 0;
}
