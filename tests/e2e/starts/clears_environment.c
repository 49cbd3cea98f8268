// SPDX-License-Identifier: BSD-3-Clause
// Removes variables before its first OpenMP call, as a daemon does: all of them, or the one that its argument names.
// Prints "n 2000", and in a child "cleared" where no variable of Tracer's is there.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc > 1 ? unsetenv(argv[1]) != 0 : clearenv() != 0) return 1;
  int n = 0;
#pragma omp parallel for reduction(+ : n) num_threads(2)
  for (int i = 0; i < 2000; ++i) n += 1;
  printf("n %d\n", n);
  fflush(stdout);
  return system("case $(/usr/bin/env) in *TRACER*) ;; *) echo cleared;; esac");
}
