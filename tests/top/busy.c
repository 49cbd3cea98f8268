// SPDX-License-Identifier: BSD-3-Clause
// Two threads, of which one waits most of the time at a barrier, until standard input ends. Says how many rounds it
// made.
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms) {
  struct timespec time = {0, ms * 1000000};
  nanosleep(&time, NULL);
}

int main(void) {
  long rounds = 0;
  int done = 0;
  printf("ready\n");
  fflush(stdout);
  while (!done) {
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static, 1)
      for (int i = 0; i < 2; ++i) sleep_ms(i == 0 ? 20 : 1);
    }
    ++rounds;
    done = poll(&input, 1, 0) != 0;
  }
  printf("%ld rounds\n", rounds);
  return 0;
}
