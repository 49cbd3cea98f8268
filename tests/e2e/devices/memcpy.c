// SPDX-License-Identifier: BSD-3-Clause
// Memory moved by routines, without a target construct around them.
#include <omp.h>
#include <stdio.h>

enum { size = 4096 };

int main(void) {
  static char out[size], in[size];
  const int host = omp_get_initial_device(), device = omp_get_default_device();
  char* memory = omp_target_alloc(size, device);
  if (memory == NULL) return 1;
  for (int i = 0; i < size; ++i) out[i] = (char)i;
  omp_target_memcpy(memory, out, size, 0, 0, device, host);
  omp_target_memcpy(memory, out, size / 2, size / 2, 0, device, host);
  omp_target_memcpy(in, memory, size, 0, 0, host, device);
#pragma omp target is_device_ptr(memory)
  memory[0] = 7;
  omp_target_memcpy(in, memory, 1, 0, 0, host, device);
  omp_target_free(memory, device);
  printf("%d %d\n", in[0], in[100]);
  printf("count target data to device 2\ncount target data from device 2\n");
  printf("count target data alloc 1\ncount target data delete 1\ncount target submit 1\ncount target kernel 1\n");
  printf("bytes to device %d\nbytes from device %d\n", size + size / 2, size + 1);
  return 0;
}
