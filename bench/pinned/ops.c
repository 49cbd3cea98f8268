/* SPDX-License-Identifier: BSD-3-Clause */
/* So many operations of one kind in a team of one thread: ops lock|barrier|task NUMBER. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static volatile long counter;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long number = atol(argv[2]);
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
  {
    if (strcmp(argv[1], "lock") == 0)
      for (long i = 0; i < number; ++i) {
        omp_set_lock(&lock);
        ++counter;
        omp_unset_lock(&lock);
      }
    if (strcmp(argv[1], "barrier") == 0)
      for (long i = 0; i < number; ++i) {
#pragma omp barrier
        ++counter;
      }
    if (strcmp(argv[1], "task") == 0)
      for (long i = 0; i < number; ++i) {
#pragma omp task
        ++counter;
      }
  }
  return 0;
}
