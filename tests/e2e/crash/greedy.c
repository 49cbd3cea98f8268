// SPDX-License-Identifier: BSD-3-Clause
// Takes as many MiB of memory as the argument says, one after 200 critical sections, and prints what it has counted;
// killed before, its witness counts the sections that are left.
#include <stdio.h>
#include <string.h>

#include "witness.h"

int main(int argc, char** argv) {
  volatile uint64_t* done = witness();
  const int most = argc > 1 ? atoi(argv[1]) : 0;
  for (int taken = 0; taken < most; ++taken) {
    char* memory = malloc(1 << 20);
    if (!memory) return 1;
    memset(memory, 1, 1 << 20);
    __asm__ volatile("" : : "r"(memory) : "memory");  // it is used
#pragma omp parallel num_threads(2)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical
      *done += 1;
    }
  }
  printf("sections %llu\n", (unsigned long long)*done);
  return 3;
}
