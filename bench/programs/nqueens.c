/* SPDX-License-Identifier: BSD-3-Clause
 * All solutions of the n queens problem: a task per queen placed in the first rows, serial below. */
#include "kernel.h"

static long size, task_rows;

static long place(long row, unsigned columns, unsigned left, unsigned right) {
  if (row == size) return 1;
  const unsigned board = (1u << size) - 1;
  unsigned open = board & ~(columns | left | right);
  if (row >= task_rows) {
    long found = 0;
    for (; open; open &= open - 1) {
      const unsigned bit = open & -open;
      found += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
  }
  long found[32] = {0}, sum = 0;
  int tasks = 0;
  for (; open; open &= open - 1, ++tasks) {
    const unsigned bit = open & -open;
    long* mine = &found[tasks];
#pragma omp task firstprivate(mine, bit)
    *mine = place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
#pragma omp taskwait
  for (int i = 0; i < tasks; ++i) sum += found[i];
  return sum;
}

int main(int argc, char** argv) {
  static const long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
  size = kernel_argument(argc, argv, 1, 12);
  task_rows = kernel_argument(argc, argv, 2, 6);
  if (size < 1 || size > 14) {
    fprintf(stderr, "size: 1 to 14\n");
    return 2;
  }
  long result = 0;
  const double begin = kernel_now();
#pragma omp parallel
#pragma omp single
  result = place(0, 0, 0, 0);
  return kernel_done(begin, result == solutions[size]);
}
