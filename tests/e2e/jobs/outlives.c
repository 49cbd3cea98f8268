// SPDX-License-Identifier: BSD-3-Clause
// outlives FILE CHILDREN: a process that records first and outlives all others, as process 0 of a job whose launcher
// has ended: a parallel region with a critical section, and another one when FILE is there. This process and CHILDREN
// others have one such region each meanwhile. outlives MS: ends at once; a child of it has such a region after so many
// milliseconds.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// Not inlined: Clang would begin the runtime in main, before the fork.
__attribute__((noinline)) static int region(void) {
  int sections = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    ++sections;
  }
  return sections;
}

static int outlive(const char* file, int begun) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
  region();
  if (write(begun, "", 1) != 1) return 1;
  for (int tries = 0; tries < 6000 && access(file, F_OK) != 0; ++tries) usleep(20000);
  return region() == 2 ? 0 : 1;
}

static int begin_late(int milliseconds) {
  setsid();
  usleep((useconds_t)milliseconds * 1000);
  const int sections = region();
  printf("%d sections\n", sections);
  return sections == 2 ? 0 : 1;
}

int main(int count, char** words) {
  int begun[2];
  char word = 0;
  if (count == 2) return fork() == 0 ? begin_late(atoi(words[1])) : 0;
  if (count < 3 || pipe(begun) != 0) return 1;
  if (fork() == 0) return outlive(words[1], begun[1]);
  if (read(begun[0], &word, 1) != 1) return 1;
  for (int child = 0; child < atoi(words[2]); ++child)
    if (fork() == 0) return region() == 2 ? 0 : 1;
  const int sections = region();
  for (int child = 0; child < atoi(words[2]); ++child) wait(NULL);
  return sections == 2 ? 0 : 1;
}
