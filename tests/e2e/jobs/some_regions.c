// SPDX-License-Identifier: BSD-3-Clause
// some_regions REGIONS [STATUS [CHILDREN [MICROSECONDS]]]: so many parallel regions of two threads with a critical
// section each, also in so many forked children, one below the other. A section computes for so many microseconds.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void compute(long long nanoseconds) {
  for (const long long begin = processor_time(); processor_time() - begin < nanoseconds;) {
  }
}

int main(int count, char** words) {
  const int regions = count > 1 ? atoi(words[1]) : 1, status = count > 2 ? atoi(words[2]) : 0;
  int children = count > 3 ? atoi(words[3]) : 0, sections = 0;
  const long long length = count > 4 ? atoi(words[4]) * 1000LL : 0;
  pid_t child = 0;
  while (children-- > 0 && (child = fork()) == 0) {
  }
  for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      {
        if (length > 0) compute(length);
        ++sections;
      }
    }
  }
  if (child > 0) waitpid(child, NULL, 0);
  printf("%d\n", sections);
  return status;
}
