// SPDX-License-Identifier: BSD-3-Clause
// Threads that map data in constructs that are nested, all at once: arrays of their own, and one that is there for all.
#include <omp.h>
#include <stdio.h>

enum { threads = 4, size = 64, rounds = 20 };

int main(void) {
  static int all[size], own[threads][2][size];
  int wrong = 0;
  for (int i = 0; i < size; ++i) all[i] = i;
#pragma omp target enter data map(to : all)  // to device: 256
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
    int *first = own[me][0], *second = own[me][1];
    for (int round = 0; round < rounds; ++round) {
#pragma omp target data map(tofrom : first [0:size]) map(to : all)  // to and from device: 256
      {
#pragma omp target data map(alloc : second [0:size]) if (round % 2)  // memory in every second round
        {
#pragma omp target teams distribute parallel for map(tofrom : first [0:size])
          for (int i = 0; i < size; ++i) first[i] += all[i];
#pragma omp target map(from : second [0:size])  // from device: 256, unless it is there
          for (int i = 0; i < size; ++i) second[i] = first[i];
        }
      }
    }
    wrong += first[3] != 3 * rounds;
  }
#pragma omp target exit data map(release : all)
  printf("%s\n", wrong ? "wrong" : "right");
  const int n = threads * rounds;
  printf("count target %d\ncount target submit %d\ncount target kernel %d\n", 2 * n, 2 * n, 2 * n);
  printf("count target data alloc %d\ncount target data delete %d\n", 2 * n + 1, 2 * n + 1);
  printf("count target data to device %d\ncount target data from device %d\n", n + 1, n + n / 2);
  const size_t bytes = sizeof all;
  printf("bytes to device %zu\nbytes from device %zu\n", (n + 1) * bytes, (n + n / 2) * bytes);
  return wrong;
}
