// SPDX-License-Identifier: BSD-3-Clause
// Calls exit(4) after a region, from a function that is not main.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void leave(void) {
  exit(4);
}

static void last_words(void) {
  puts("atexit runs");
}

int main(void) {
  int threads = 0;
  atexit(last_words);
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  printf("count fork 1\ncount parallel %d\n", threads);
  leave();
}
