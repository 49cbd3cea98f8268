// SPDX-License-Identifier: BSD-3-Clause
// Regions with loops, tasks and critical sections; a flight recorder is told to write what it has in between.
//   flushed ROUNDS signal|outside|inside
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long sum;

static void region(int flush_inside) {
  long mine = 0;
#pragma omp parallel num_threads(4) reduction(+ : mine)
  {
#pragma omp for schedule(monotonic : dynamic, 16)
    for (int i = 0; i < 2000; ++i) mine += i & 1;
#pragma omp single
    for (int task = 0; task < 200; ++task) {
#pragma omp task
      { __asm__ volatile("" : : "r"(task)); }
    }
#pragma omp taskwait
#pragma omp barrier
    for (int k = 0; k < 300; ++k) {
#pragma omp critical(one_at_a_time)
      mine += 1;
    }
    if (flush_inside) {
#pragma omp barrier
#pragma omp masked
      omp_control_tool(omp_control_tool_flush, 0, NULL);
    }
  }
  sum += mine;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 60;
  const char* how = argc > 2 ? argv[2] : "signal";
  alarm(120);
  for (int round = 0; round < rounds; ++round) {
    const int now = round % 10 == 5;
    region(now && strcmp(how, "inside") == 0);
    if (now && strcmp(how, "signal") == 0) kill(getpid(), SIGUSR1);
    if (now && strcmp(how, "outside") == 0) omp_control_tool(omp_control_tool_flush, 0, NULL);
  }
  printf("sum %ld\n", sum);
  return 0;
}
