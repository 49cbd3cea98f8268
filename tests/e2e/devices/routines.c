// SPDX-License-Identifier: BSD-3-Clause
// Memory by routines: parts of arrays, asynchronous copies with dependences, association of memory that is there.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 4, columns = 8, part = 3 };

int main(void) {
  static int out[rows][columns], in[rows][columns];
  const int host = omp_get_initial_device(), device = omp_get_default_device();
  int* memory = omp_target_alloc(sizeof out, device);
  if (memory == NULL) return 1;
  for (int i = 0; i < rows * columns; ++i) out[i / columns][i % columns] = i;

  // rows of `part` numbers each
  const size_t volume[] = {rows, part}, origin[] = {0, 2}, dimensions[] = {rows, columns};
  omp_target_memcpy_rect(memory, out, sizeof(int), 2, volume, origin, origin, dimensions, dimensions, device, host);
  omp_target_memcpy_rect(in, memory, sizeof(int), 2, volume, origin, origin, dimensions, dimensions, host, device);
  const int partly = in[1][2];

  omp_depend_t done;
  int order = 0;
#pragma omp depobj(done) depend(inout : order)
  omp_target_memcpy_async(memory, out, sizeof out, 0, 0, device, host, 1, &done);
  omp_target_memcpy_async(in, memory, sizeof in, 0, 0, host, device, 1, &done);
#pragma omp taskwait
#pragma omp depobj(done) destroy

  omp_target_associate_ptr(in, memory, sizeof in, 0, device);
#pragma omp target map(always, tofrom : in)
  in[0][0] += 5;
  omp_target_disassociate_ptr(in, device);
  printf("%d %d %d %d\n", partly, in[1][2], in[3][7], in[0][0]);
  omp_target_free(memory, device);

  printf("count target submit 1\ncount target kernel 1\ncount target data alloc 1\ncount target data delete 1\n");
  printf("count target data to device %d\ncount target data from device %d\n", rows + 2, rows + 2);
  const size_t bytes = rows * part * sizeof(int) + 2 * sizeof out;
  printf("bytes to device %zu\nbytes from device %zu\n", bytes, bytes);
  return 0;
}
