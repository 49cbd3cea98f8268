// SPDX-License-Identifier: BSD-3-Clause
// Four threads share two processors, and one of them sleeps as well. Each says what the kernel accounts for it:
//   thread TID BEGIN END RUN QUEUED     ns of CLOCK_MONOTONIC, and between them of /proc/self/task/TID/schedstat
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

struct account {
  long long time, run, queued;
};

static struct account read_account(void) {
  struct account a = {0, 0, 0};
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
  FILE* file = fopen(path, "r");
  now(CLOCK_THREAD_CPUTIME_ID);  // brings the kernel's account up to date
  a.time = now(CLOCK_MONOTONIC);
  if (file == NULL || fscanf(file, "%lld %lld", &a.run, &a.queued) != 2) exit(77);
  fclose(file);
  return a;
}

int main(int argc, char** argv) {
  const long long length = (argc > 1 ? atoll(argv[1]) : 1500) * 1000000LL;
  cpu_set_t all, two;
  CPU_ZERO(&two);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 77;
  for (int i = 0, taken = 0; i < CPU_SETSIZE && taken < 2; ++i)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &two), ++taken;
  sched_setaffinity(0, sizeof two, &two);
#pragma omp parallel num_threads(4)
  {
    const struct account before = read_account();
    volatile double x = 1;
    while (now(CLOCK_MONOTONIC) - before.time < length) {
      for (int i = 0; i < 200000; ++i) x = x * 0.5 + 1;
      if (omp_get_thread_num() == 3) nanosleep(&(struct timespec){0, 3000000}, NULL);
    }
    const struct account after = read_account();
#pragma omp critical
    printf("thread %ld %lld %lld %lld %lld\n", syscall(SYS_gettid), before.time, after.time, after.run - before.run,
           after.queued - before.queued);
  }
  return 0;
}
