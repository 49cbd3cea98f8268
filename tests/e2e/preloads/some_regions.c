// SPDX-License-Identifier: BSD-3-Clause
// A hundred regions, and a pause in which the tool's thread looks around. Says the year. Status 3.
#include <stdio.h>
#include <time.h>

int main(void) {
  int n = 0;
  for (int round = 0; round < 100; ++round) {
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
  }
  struct timespec left = {0, 250000000};
  while (nanosleep(&left, &left) != 0) continue;
  const time_t now = time(NULL);
  struct tm broken_down;
  gmtime_r(&now, &broken_down);
  printf("%d in %d\n", n, broken_down.tm_year + 1900);
  return 3;
}
