// SPDX-License-Identifier: BSD-3-Clause
// Children by fork, as Python's multiprocessing makes them: each has some regions and ends in its own way. Prints their
// numbers. `children later`: their parent has regions before.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void work(void) {
  for (int i = 0; i < 50; ++i) {
#pragma omp parallel num_threads(2)
    for (int k = 0; k < 100000; ++k) sink = sink + k;
  }
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "later") == 0) work();
  for (int n = 0; n < 4; ++n) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      usleep(20000);
      if (n == 0) _exit(0);
      if (n == 1) _exit(4);
      if (n == 2) raise(SIGKILL);
      exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%d\n", (int)child);
    fflush(stdout);
  }
  return 0;
}
