// SPDX-License-Identifier: BSD-3-Clause
// The program's malloc(), calloc(), realloc() and free() enter a critical region and take a lock of OpenMP. So do, with
// them, the C library and what is loaded beside the program.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void __libc_free(void*);

enum { allocations = 2000, tasks = 100, most_threads = 5 };

static _Thread_local int inside;
static omp_lock_t lock;
static volatile int counts;
static long calls;

static void count(void) {
  if (!counts || inside) return;
  inside = 1;
#pragma omp critical(count)
  ++calls;
  omp_set_lock(&lock);
  omp_unset_lock(&lock);
  inside = 0;
}

void* malloc(size_t bytes) {
  count();
  return __libc_malloc(bytes);
}

void* calloc(size_t items, size_t bytes) {
  count();
  return __libc_calloc(items, bytes);
}

void* realloc(void* before, size_t bytes) {
  count();
  return __libc_realloc(before, bytes);
}

void free(void* memory) {
  count();
  __libc_free(memory);
}

int main(void) {
  long sum = 0;
  omp_init_lock(&lock);
  counts = 1;
  for (int threads = 2; threads <= most_threads; ++threads) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      for (int i = 0; i < allocations; ++i) {
        void* volatile memory = malloc(10);
        sum += memory != NULL;
        free(memory);
      }
#pragma omp single
      for (int i = 0; i < tasks; ++i) {
#pragma omp task
        {}
      }
    }
  }
  printf("%ld, %d\n", sum, calls >= 2 * sum);
  return 0;
}
