// SPDX-License-Identifier: BSD-3-Clause
// Target tasks on the host, which libomp's own team of helpers runs; with an argument exit() comes while the last of
// them waits or runs.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  int a[100] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int k = 0; k < 20; ++k) {
#pragma omp target nowait map(tofrom : a [0:100]) depend(inout : a[0])
    for (int i = 0; i < 100; ++i) a[i] += 1;
  }
  if (count > 1) {
#pragma omp target nowait map(tofrom : a [0:100])
    for (int i = 0; i < 100; ++i) a[i] += 1;
    exit(atoi(words[1]));
  }
  printf("%d\n", a[5]);
  return 0;
}
