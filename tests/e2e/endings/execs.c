// SPDX-License-Identifier: BSD-3-Clause
// execs first|last|only return|kill: regions; as the first program it becomes the last one then, by exec; that waits
// for 2 s and ends; the only one ends soon.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile double sink;

int main(int count, char** words) {
  if (count < 3) return 2;
  for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(2)
    for (int k = 0; k < 100000; ++k) sink = sink + k;
  }
  if (strcmp(words[1], "first") == 0) {
    execl("/proc/self/exe", "execs", "last", words[2], (char*)NULL);
    perror("exec");
    return 99;
  }
  usleep(300000);  // tracer run looks at it five times a second
  if (strcmp(words[1], "last") == 0) sleep(2);
  if (strcmp(words[2], "kill") == 0) raise(SIGKILL);
  return 5;
}
