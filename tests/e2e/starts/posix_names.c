// SPDX-License-Identifier: BSD-3-Clause
// Functions whose names ISO C leaves to programs, and POSIX does not: of caches, trees, graphs and devices. A library's
// calls by these names come to the program.
#include <stdio.h>

static int called;

#define DEFINE(name)     \
  int name(void) {       \
    return ++called, -1; \
  }
DEFINE(access)
DEFINE(chdir)
DEFINE(fcntl)
DEFINE(flock)
DEFINE(ioctl)
DEFINE(kill)
DEFINE(link)
DEFINE(lseek)
DEFINE(mkdir)
DEFINE(poll)
DEFINE(pread)
DEFINE(pwrite)
DEFINE(readlink)
DEFINE(rmdir)
DEFINE(symlink)
DEFINE(truncate)
DEFINE(uname)

int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  printf("sum %d, %d calls\n", sum, called);
  return 0;
}
