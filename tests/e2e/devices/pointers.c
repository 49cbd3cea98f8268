// SPDX-License-Identifier: BSD-3-Clause
// Pointers and arrays of the device by clauses, data that stay by directives with dependences, targets in explicit
// tasks.
#include <omp.h>
#include <stdio.h>

enum { size = 100, parts = 4 };

int main(void) {
  static int a[size], b[size];
  for (int i = 0; i < size; ++i) a[i] = b[i] = 1;

  int* p = a;
#pragma omp target data map(tofrom : a) use_device_ptr(p)  // to and from device: 400
  {
#pragma omp target is_device_ptr(p)
    for (int i = 0; i < size; ++i) p[i] += 1;
  }
#pragma omp target data map(tofrom : b) use_device_addr(b)  // to and from device: 400
  {
#pragma omp target has_device_addr(b)
    for (int i = 0; i < size; ++i) b[i] += 2;
  }

#pragma omp target enter data map(to : a) nowait depend(out : a)  // to device: 400
#pragma omp target map(present, alloc : a) nowait depend(inout : a)
  for (int i = 0; i < size; ++i) a[i] *= 3;
#pragma omp target exit data map(from : a) nowait depend(in : a)  // from device: 400
#pragma omp taskwait

#pragma omp parallel num_threads(2)
#pragma omp single
  for (int part = 0; part < parts; ++part)
#pragma omp task firstprivate(part)
  {
    const int from = part * (size / parts);
#pragma omp target map(tofrom : b [from:size / parts])  // to and from device: 100 each
    for (int i = 0; i < size / parts; ++i) b[from + i] += part;
  }

  printf("%d %d %d\n", a[7], b[0], b[size - 1]);
  printf("count target submit %d\ncount target kernel %d\n", 3 + parts, 3 + parts);
  printf("count target data alloc %d\ncount target data delete %d\n", 3 + parts, 3 + parts);
  printf("bytes to device %zu\nbytes from device %zu\n", 3 * sizeof a + sizeof b, 3 * sizeof a + sizeof b);
  return 0;
}
