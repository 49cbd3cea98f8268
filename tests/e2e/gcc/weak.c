// SPDX-License-Identifier: BSD-3-Clause
// Asks by weak references whether OpenMP and MPI are there, and calls them where they are: itself, and in a library of
// its own (IN_LIBRARY). Other libraries ask by dlerror() whether a call of theirs has failed.
#include <dlfcn.h>
#include <stdio.h>

#define WEAK __attribute__((weak))
WEAK void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
WEAK void GOMP_critical_start(void);
WEAK void GOMP_critical_end(void);
WEAK int omp_test_lock(void* lock);
WEAK int MPI_Initialized(int* is);

static int sum;
static void add(void* n) {
  sum += *(int*)n;
}
static void (*const in_data)(void) = GOMP_critical_start;

void ask(const char* who) {
  int n = 2, is_there = 7;
  sum = 0;
  if (GOMP_critical_start) GOMP_critical_start();
  if (GOMP_parallel)
    GOMP_parallel(add, &n, 1, 0);
  else
    add(&n);
  if (GOMP_critical_end) GOMP_critical_end();
  if (MPI_Initialized) MPI_Initialized(&is_there);
  printf("%s: %d %d %d %d, MPI %d, sum %d\n", who, GOMP_parallel != 0, omp_test_lock != 0, GOMP_critical_end != 0,
         in_data != 0, MPI_Initialized != 0 ? is_there : -1, sum);
}

#ifndef IN_LIBRARY
void ask_in_library(const char* who);
int main(void) {
  const char* const failed = dlerror();
  ask("program");
  ask_in_library("library");
  printf("dlerror: %s\n", failed ? failed : "none");
  return 0;
}
#endif
