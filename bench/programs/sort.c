/* SPDX-License-Identifier: BSD-3-Clause
 * A merge sort of random numbers: a task per half down to a cut-off, as application codes use tasks. */
#include <string.h>

#include "kernel.h"

static long cut_off;

static int compare(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  return (x > y) - (x < y);
}

static void merge(unsigned* data, long middle, long n, unsigned* spare) {
  long i = 0, j = middle, k = 0;
  while (i < middle && j < n) spare[k++] = data[j] < data[i] ? data[j++] : data[i++];
  while (i < middle) spare[k++] = data[i++];
  while (j < n) spare[k++] = data[j++];
  memcpy(data, spare, (size_t)n * sizeof *data);
}

static void sort(unsigned* data, long n, unsigned* spare) {
  if (n <= cut_off) {
    qsort(data, (size_t)n, sizeof *data, compare);
    return;
  }
  const long middle = n / 2;
#pragma omp task
  sort(data, middle, spare);
#pragma omp task
  sort(data + middle, n - middle, spare + middle);
#pragma omp taskwait
  merge(data, middle, n, spare);
}

int main(int argc, char** argv) {
  const long n = kernel_argument(argc, argv, 1, 1 << 20);
  cut_off = kernel_argument(argc, argv, 2, 64);
  unsigned* data = malloc((size_t)n * sizeof *data);
  unsigned* spare = malloc((size_t)n * sizeof *spare);
  if (!data || !spare) return 2;
  unsigned state = 12345;
  for (long i = 0; i < n; ++i) data[i] = state = state * 1664525u + 1013904223u;
  const double begin = kernel_now();
#pragma omp parallel
#pragma omp single
  sort(data, n, spare);
  const int status = kernel_done(begin, 1);
  int sorted = 1;
  for (long i = 1; i < n; ++i) sorted &= data[i - 1] <= data[i];
  free(data);
  free(spare);
  return sorted ? status : 1;
}
