// SPDX-License-Identifier: BSD-3-Clause
// Closes standard error; the file of data that it opens then has descriptor 2. Its content at the end is the program's
// alone.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += 1;
  close(2);
  const int fd = open(argc > 1 ? argv[1] : "data", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd != 2 || write(fd, "data\n", 5) != 5) return 1;
  printf("sum %d\n", sum);
  return 0;
}
