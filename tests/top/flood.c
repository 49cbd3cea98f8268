// SPDX-License-Identifier: BSD-3-Clause
// Two threads that record so much, until standard input ends, that they come round in a small ring within milliseconds.
// It is ready behind its first region, which has made the rings.
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void meet(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
  }
}

int main(void) {
  struct pollfd input = {STDIN_FILENO, POLLIN, 0};
  const struct timespec pause = {0, 1000000};
  meet();
  printf("ready\n");
  fflush(stdout);
  while (poll(&input, 1, 0) == 0) {
    for (int i = 0; i < 20; ++i) meet();
    nanosleep(&pause, NULL);
  }
  return 0;
}
