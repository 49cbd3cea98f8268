// SPDX-License-Identifier: BSD-3-Clause
// Globals that are on the device from the beginning, or when they are mapped (`link`), and functions that use them.
#include <stdio.h>

enum { size = 256, rounds = 3 };

int linked[size];
#pragma omp declare target link(linked)
int resident[size];
#pragma omp declare target to(resident)
#pragma omp begin declare target
static int bias = 5;
static int with_bias(int value) {
  return value + bias + resident[0];
}
#pragma omp end declare target

int main(void) {
  int sum = 0;
  for (int i = 0; i < size; ++i) linked[i] = i, resident[i] = 1;
#pragma omp target update to(resident)  // to device: 1024
  for (int round = 0; round < rounds; ++round) {
#pragma omp target map(tofrom : linked)  // to and from device: 1024, and where it is: 8
    for (int i = 0; i < size; ++i) linked[i] = with_bias(linked[i]);
  }
#pragma omp target map(tofrom : sum)  // to and from device: 4
  for (int i = 0; i < size; ++i) sum += resident[i];
#pragma omp target update from(resident)  // from device: 1024
  printf("%d %d\n", linked[1], sum);
  printf("count target submit %d\ncount target kernel %d\ncount target update 2\n", rounds + 1, rounds + 1);
  printf("bytes from device %zu\n", (rounds + 1) * sizeof linked + sizeof sum);
  return 0;
}
