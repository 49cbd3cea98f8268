// SPDX-License-Identifier: BSD-3-Clause
// A function whose time the kernel spends for it (pages that are touched first), and one that computes. Says what each
// used by the thread's own clock: function NANOSECONDS.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "burn.h"

static long long touch_ns;

static __attribute__((noinline)) void touch(long long ns) {
  enum { bytes = 16 << 20, page = 4096 };
  const long long begin = processor_ns();
  long long used = 0;
  do {
    char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (long i = 0; i < bytes; i += page) ((volatile char*)memory)[i] = 1;
    munmap(memory, bytes);
    used = processor_ns() - begin;
  } while (used < ns);
  touch_ns += used;
}

BURN(compute, 20000)

int main(void) {
  double sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  for (int k = 0; k < 10; ++k) {
    touch(100000000);
    sum += compute(50000000);
  }
  printf("touch %lld\ncompute %lld\n", touch_ns, compute_ns);
  return sum == 0;
}
