// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for devices (the host, as a device): like imbalance.c, `device_wait NAME` has that disease and
// prints the finding, the thread-seconds lost and the line.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { N = 2, steps = 20 };  // much longer than a device takes to start on a machine that is busy

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#pragma omp begin declare target
static void rest(double seconds) {
  const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}
#pragma omp end declare target

static double waited[N];

/// Every thread sits out what its kernels take, and has work of its own that could go on meanwhile.
static int all_wait(void) {
  int line = 0;
#pragma omp target
  rest(0);  // the device's start
#pragma omp parallel num_threads(N)
  {
    const int me = omp_get_thread_num();
    int done = 0;
    for (int step = 0; step < steps; ++step) {
      rest(0.02);
      const double begin = now();
      line = __LINE__ + 1;
#pragma omp target map(from : done)
      {
        rest(0.08);
        done = step;
      }
      waited[me] += now() - begin;
    }
  }
  return line;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    puts("device-wait");
    return 0;
  }
  if (strcmp(argv[1], "device-wait") != 0) return 2;
  const int line = all_wait();
  printf("device-wait %.6f %d\n", waited[0] + waited[1], line);
  return 0;
}
