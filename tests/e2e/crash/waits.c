// SPDX-License-Identifier: BSD-3-Clause
// waits [ROUNDS [apart]]: records something, says so, and waits for a line on standard input to record more and end.
// "apart": by constructs at which threads do not wait for each other.
#include <stdio.h>
#include <stdlib.h>

static void work_apart(int rounds) {
#pragma omp parallel
  for (int i = 0; i < rounds; ++i) {
#pragma omp taskwait
  }
}

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
  if (argc > 2) work_apart(rounds);
  int sum = work(rounds);
  printf("ready\n");
  fflush(stdout);
  char line[16];
  if (!fgets(line, sizeof line, stdin)) return 1;
  sum += work(rounds);
  printf("sum %d\n", sum);
  return 0;
}
