// SPDX-License-Identifier: BSD-3-Clause
// Gives everything that has a name one with EVIL_ in it, which the test replaces by what a terminal obeys. What can be
// given the bytes themselves at run time has those as well: annotations (ROCTx's functions, preloaded) and threads.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define OBEYED "\033]0;t\007\033[2J\302\233\342\200\256"

extern int roctxRangePushA(const char*) __attribute__((weak));
extern int roctxRangePop(void) __attribute__((weak));
extern void roctxMarkA(const char*) __attribute__((weak));

static void burn(long long ns) {
  struct timespec t;
  volatile double x = 1;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const long long end = t.tv_sec * 1000000000LL + t.tv_nsec + ns;
  do {
    for (int i = 0; i < 20000; ++i) x = x * 0.5 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
}

#line 100 "/tmp/EVIL_folder/EVIL_file.c"
__attribute__((noinline)) void EVIL_function(int ms) {
  burn(ms * 1000000LL);
}

int main(void) {
  pthread_setname_np(pthread_self(), "\033]0;t\007");
  if (roctxRangePushA) roctxRangePushA("range EVIL_ " OBEYED);
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    EVIL_function(100);
#pragma omp critical(EVIL_critical)
    burn(1000000);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
#pragma omp single
    {
#pragma omp task
      EVIL_function(1);
#pragma omp taskwait
    }
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 10; ++i) burn(100000);
  }
  if (roctxMarkA) roctxMarkA("mark EVIL_ " OBEYED);
  if (roctxRangePop) roctxRangePop();
  puts("done");
  return 0;
}
