// SPDX-License-Identifier: BSD-3-Clause
// some_regions REGIONS [STATUS [CHILDREN]]: so many parallel regions of two threads with a critical section each, also
// in so many forked children, one below the other.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char** words) {
  const int regions = count > 1 ? atoi(words[1]) : 1, status = count > 2 ? atoi(words[2]) : 0;
  int children = count > 3 ? atoi(words[3]) : 0, sections = 0;
  pid_t child = 0;
  while (children-- > 0 && (child = fork()) == 0) {
  }
  for (int i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      ++sections;
    }
  }
  if (child > 0) waitpid(child, NULL, 0);
  printf("%d\n", sections);
  return status;
}
