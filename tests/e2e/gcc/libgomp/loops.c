// SPDX-License-Identifier: BSD-3-Clause
// Loops of all schedules and types, alone and as regions, ordered and doacross. Each adds up the same numbers.
#include <omp.h>
#include <stdio.h>

static long total;
#define ADD(n) __atomic_add_fetch(&total, (long)(n), __ATOMIC_RELAXED)

static void alone(int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i) ADD(i);
#pragma omp for schedule(static, 3)
    for (long i = n - 1; i >= 0; --i) ADD(i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) ADD(i);
#pragma omp for schedule(dynamic, 7)
    for (int i = n - 1; i >= 0; i -= 1) ADD(i);
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < 3 * n; i += 3) ADD(i / 3);
#pragma omp for schedule(guided) nowait
    for (unsigned long long i = 0; i < (unsigned long long)n; ++i) ADD(i);
#pragma omp for schedule(guided, 4)
    for (unsigned long long i = n; i > 0; --i) ADD(i - 1);
#pragma omp for schedule(monotonic : guided, 2)
    for (int i = 0; i < n; ++i) ADD(i);
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) ADD(i);
#pragma omp for schedule(monotonic : runtime)
    for (unsigned long long i = 0; i < (unsigned long long)n; ++i) ADD(i);
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < n; ++i) ADD(i);
#pragma omp for schedule(auto)
    for (int i = 0; i < n; ++i) ADD(i);
#pragma omp for schedule(dynamic) collapse(2)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < 2; ++j) ADD(j == 0 ? i : 0);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 0; ++i) ADD(1000000);
  }
}

static void regions(int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for schedule(monotonic : dynamic, 5)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for schedule(monotonic : guided)
  for (int i = n - 1; i >= 0; --i) ADD(i);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for schedule(monotonic : runtime)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for schedule(nonmonotonic : runtime)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp parallel for num_threads(3) schedule(dynamic, 2) if (n > 1)
  for (unsigned long long i = 0; i < (unsigned long long)n; ++i) ADD(i);
}

static void in_order(int n) {
  int last = -1;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < n; ++i) {
#pragma omp ordered
    {
      if (last != i - 1) printf("out of order\n");
      last = i;
    }
    ADD(i);
  }
#pragma omp parallel
  {
#pragma omp for ordered schedule(static, 2)
    for (int i = 0; i < n; ++i) {
#pragma omp ordered
      ADD(i);
    }
#pragma omp for ordered schedule(guided)
    for (unsigned long long i = 0; i < (unsigned long long)n; ++i) {
#pragma omp ordered
      ADD(i);
    }
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < n; ++i) {
#pragma omp ordered
      ADD(i);
    }
  }
}

static void across(int n) {
  static long cell[1024];
  static long square[40][40];
#pragma omp parallel
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      cell[i] = i + (i > 0 ? cell[i - 1] : 0);
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(2) schedule(dynamic)
    for (int i = 1; i < 20; ++i)
      for (int j = 1; j < 20; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        square[i][j] = 1 + square[i - 1][j] + square[i][j - 1];
#pragma omp ordered depend(source)
      }
#pragma omp for ordered(1) schedule(guided)
    for (unsigned long long i = 1; i <= (unsigned long long)n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      ADD(i);
#pragma omp ordered depend(source)
    }
  }
  printf("across %ld %ld\n", cell[n - 1], square[19][19] % 1000003);
}

// More dimensions than anybody writes: all numbers of a wait are libgomp's.
#define LOOP(i) for (int i = 0; i < 1; ++i)
#define LOOPS(i) \
  LOOP(i##0) LOOP(i##1) LOOP(i##2) LOOP(i##3) LOOP(i##4) LOOP(i##5) LOOP(i##6) LOOP(i##7) LOOP(i##8) LOOP(i##9)
#define NAMES(i) i##0, i##1, i##2, i##3, i##4, i##5, i##6, i##7, i##8, i##9
static void deep(int n) {
  static long cell[200];
#pragma omp parallel for ordered(41) schedule(static, 1)
  for (int i = 0; i < n; ++i) LOOPS(a) LOOPS(b) LOOPS(c) LOOPS(d) {
#pragma omp ordered depend(sink : i - 1, NAMES(a), NAMES(b), NAMES(c), NAMES(d))
      cell[i] = 1 + (i > 0 ? cell[i - 1] : 0);
#pragma omp ordered depend(source)
    }
  printf("deep %ld\n", cell[n - 1]);
}

// With task reductions the loop's begin is one function for all schedules; doacross loops have another for that of the
// environment.
static void reduced(int n) {
  static long cell[1024];
  long sum = 0;
#pragma omp parallel
  {
#pragma omp for ordered reduction(task, + : sum) schedule(dynamic, 3)
    for (int i = 0; i < n; ++i) {
      sum += i;
#pragma omp ordered
      ADD(i);
    }
#pragma omp for reduction(task, + : sum) schedule(guided)
    for (unsigned long long i = 0; i < (unsigned long long)n; ++i) sum += 1;
#pragma omp for ordered reduction(task, + : sum) schedule(dynamic)
    for (unsigned long long i = 0; i < (unsigned long long)n; ++i) {
      sum += 1;
#pragma omp ordered
      ADD(i);
    }
#pragma omp for ordered(1) reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      cell[i] = i + (i > 0 ? cell[i - 1] : 0);
#pragma omp ordered depend(source)
      sum += 1;
    }
#pragma omp for ordered(1) reduction(task, + : sum) schedule(guided)
    for (unsigned long long i = 1; i <= (unsigned long long)n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      cell[i] += 1;
#pragma omp ordered depend(source)
      sum += 1;
    }
#pragma omp for ordered(1) schedule(runtime)
    for (int i = 0; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      cell[i] += i;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(1) schedule(runtime)
    for (unsigned long long i = 1; i <= (unsigned long long)n; ++i) {
#pragma omp ordered depend(sink : i - 1)
      cell[i] += 2;
#pragma omp ordered depend(source)
    }
  }
  ADD(sum + cell[n - 1]);
}

int main(void) {
  const int n = 100;
  alone(n);
  printf("alone %ld\n", total);
  regions(n);
  printf("regions %ld\n", total);
  in_order(n);
  printf("ordered %ld\n", total);
  across(n);
  deep(n);
  reduced(n);
  printf("total %ld\n", total);
  return 0;
}
