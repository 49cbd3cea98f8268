// SPDX-License-Identifier: BSD-3-Clause
// A library with a region that has loops; FUNCTION is its name. HANDED_OUT: no loop of which the code asks for the
// thread's number.
#include <omp.h>
#include <string.h>

// libgomp's locks and libomp's have the same names and other sizes.
static int with_locks(void) {
  struct {
    omp_nest_lock_t nested;
    char behind[16];
    omp_lock_t lock;
    char last[16];
  } mine;
  memset(&mine, 1, sizeof mine);
  omp_init_nest_lock(&mine.nested);
  omp_init_lock(&mine.lock);
  omp_set_lock(&mine.lock);
  omp_unset_lock(&mine.lock);
  omp_set_nest_lock(&mine.nested);
  const int depth = omp_test_nest_lock(&mine.nested);
  omp_unset_nest_lock(&mine.nested);
  omp_unset_nest_lock(&mine.nested);
  omp_destroy_lock(&mine.lock);
  omp_destroy_nest_lock(&mine.nested);
  for (int i = 0; i < 16; ++i)
    if (mine.behind[i] != 1 || mine.last[i] != 1) return -1000;
  return depth - 2;
}

int FUNCTION(int n) {
  int sum = with_locks();
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) sum += 1;
#ifndef HANDED_OUT
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) sum += 1;
#endif
  }
  return sum;
}
