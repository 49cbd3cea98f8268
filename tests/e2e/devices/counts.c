// SPDX-License-Identifier: BSD-3-Clause
// What is on the device already is not sent again: counts of references, sections without a length, parts of what is
// there, and what the modifiers `always`, `present` and the map types `release` and `delete` change.
#include <omp.h>
#include <stdio.h>

enum { size = 100 };

int main(void) {
  static int a[size], b[size], c[2 * size];
  int* p = b;
  for (int i = 0; i < size; ++i) a[i] = b[i] = c[i] = c[size + i] = 1;

#pragma omp target enter data map(to : a)  // to device: 400
#pragma omp target enter data map(to : a)  // is there
#pragma omp target map(always, to : a)     // to device: 400
  for (int i = 0; i < size; ++i) a[i] += 1;
#pragma omp target update from(a)  // from device: 400
#pragma omp target exit data map(release : a)
#pragma omp target exit data map(from : a)  // the last reference: from device: 400
#pragma omp target enter data map(to : a)   // to device: 400
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(delete : a)  // whatever refers to it
#pragma omp target update to(a)               // is not there

#pragma omp target enter data map(alloc : p [0:0])  // nothing to allocate
#pragma omp target data map(tofrom : b)             // to and from device: 400
  {
#pragma omp target map(alloc : p [0:0])  // the pointer to b's copy
    for (int i = 0; i < size; ++i) p[i] += 2;
  }

#pragma omp target data map(tofrom : c [0:size])  // to and from device: 400
  {
#pragma omp target map(tofrom : c [10:20])  // a part of what is there
    c[15] += 1;
#pragma omp target map(present, always, from : c [10:20])  // from device: 80
    c[16] += 1;
#pragma omp target update to(c [50:25])  // to device: 100
  }

  printf("%d %d %d %d\n", a[7], b[7], c[15], c[16]);
  printf("count target submit 4\ncount target kernel 4\ncount target update 3\n");
  printf("count target data alloc 4\ncount target data delete 4\n");
  printf("count target data to device 6\ncount target data from device 5\n");
  const size_t whole = sizeof a, number = sizeof(int);
  printf("bytes to device %zu\nbytes from device %zu\n", 5 * whole + 25 * number, 4 * whole + 20 * number);
  return 0;
}
