// SPDX-License-Identifier: BSD-3-Clause
// Records something, says so, and waits to be told (a line on standard input) to record more and end.
#include <stdio.h>
#include <stdlib.h>

static int work(int rounds) {
  int sum = 0;
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) {
#pragma omp critical
    ++sum;
  }
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  int sum = work(rounds);
  printf("ready\n");
  fflush(stdout);
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 1;
  sum += work(rounds);
  printf("sum %d\n", sum);
  return 0;
}
