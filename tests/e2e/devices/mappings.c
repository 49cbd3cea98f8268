// SPDX-License-Identifier: BSD-3-Clause
// Every way in which data comes to a device by directives: globals, members, nested regions, reductions, what is there
// already. No mapper: LLVM 22 never frees the struct that one mapped.
#include <stdio.h>
#include <stdlib.h>

enum { size = 100 };

#pragma omp declare target
int factor = 2;
int table[size];
#pragma omp end declare target

typedef struct {
  int n;
  int* values;
} vector;

int main(void) {
  static int a[size], b[size];
  int sum = 0;
  vector v = {size, malloc(size * sizeof(int))};
  for (int i = 0; i < size; ++i) a[i] = b[i] = v.values[i] = table[i] = 1;

  factor = 3;
#pragma omp target update to(factor, table)          // to device: 4, 400
#pragma omp target data map(tofrom : a) map(to : b)  // to device: 400, 400
  {
#pragma omp target data map(alloc : a)  // is there already
    {
#pragma omp target teams distribute parallel for
      for (int i = 0; i < size; ++i) a[i] = b[i] * factor;
    }
#pragma omp target teams distribute parallel for reduction(+ : sum)  // sum: to and from device, 4
    for (int i = 0; i < size; ++i) sum += a[i];
#pragma omp target map(always, from : a) nowait  // from device: 400
    a[0] += table[1];
#pragma omp taskwait
  }                                                            // from device: 400
#pragma omp target map(to : v) map(tofrom : v.values [0:v.n])  // the struct, its values and where they are; values back
  for (int i = 0; i < v.n; ++i) v.values[i] += 1;
#pragma omp target enter data map(to : b)  // to device: 400
#pragma omp target exit data map(release : b)
#pragma omp target if (0)
  b[0] = 7;

  printf("%d %d %d %d\n", sum, a[0], v.values[9], b[0]);
  free(v.values);
  printf("count target submit 4\ncount target kernel 4\ncount target update 1\n");
  printf("count target data alloc 6\ncount target data delete 6\n");
  const size_t array = sizeof a, number = sizeof(int);
  printf("bytes to device %zu\n", number + array + 2 * array + number + sizeof v + array + sizeof v.values + array);
  printf("bytes from device %zu\n", number + 2 * array + array);
  return 0;
}
