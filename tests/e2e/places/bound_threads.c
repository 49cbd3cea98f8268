// SPDX-License-Identifier: BSD-3-Clause
// Says where each thread of a region was bound: lines "PLACE NATIVE-THREAD".
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
#pragma omp parallel
#pragma omp critical
  printf("%d %ld\n", omp_get_place_num(), (long)syscall(SYS_gettid));
  return 0;
}
