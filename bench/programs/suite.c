/* SPDX-License-Identifier: BSD-3-Clause
 * Overheads as application code meets them: constructs around a delay of 0.1 us, after the idea of the
 * EPCC microbenchmarks. The time of the delay alone is subtracted. */
#include "harness.h"

enum { inner = 64 };
static double delay_ns;
static long delay_steps = 1;
static omp_lock_t lock;
static double shared_sum;

static void delay(void) {
  double a = 0;
  for (long i = 0; i < delay_steps; ++i) {
    a += (double)i;
    __asm__ volatile("" : "+x"(a));
  }
}

static void calibrate(void) {
  for (;;) {
    enum { calls = 20000 };
    const double begin = bench_now();
    for (int i = 0; i < calls; ++i) delay();
    delay_ns = (bench_now() - begin) / calls;
    if (delay_ns > 100) return;
    delay_steps += delay_steps / 4 + 1;
  }
}

/* Every test does `n` iterations per thread. */
static void test_parallel(long n) {
  for (long i = 0; i < n; ++i) {
#pragma omp parallel
    delay();
  }
}
static void test_parallel_for(long n) {
  const int threads = omp_get_max_threads();
  for (long i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int k = 0; k < threads; ++k) delay();
  }
}
static void test_for(long n) {
  const int threads = omp_get_max_threads();
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp for
    for (int k = 0; k < threads; ++k) delay();
  }
}
static void test_barrier(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
    delay();
#pragma omp barrier
  }
}
static void test_single(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp single
    delay();
  }
}
static void test_critical(long n) {
  const long share = n / omp_get_max_threads();
#pragma omp parallel
  for (long i = 0; i < share; ++i) {
#pragma omp critical
    delay();
  }
}
static void test_lock(long n) {
  const long share = n / omp_get_max_threads();
#pragma omp parallel
  for (long i = 0; i < share; ++i) {
    omp_set_lock(&lock);
    delay();
    omp_unset_lock(&lock);
  }
}
static void test_ordered(long n) {
#pragma omp parallel for ordered schedule(static, 1)
  for (long i = 0; i < n; ++i) {
#pragma omp ordered
    delay();
  }
}
static void test_reduction(long n) {
  for (long i = 0; i < n; ++i) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      delay();
      sum += 1;
    }
    shared_sum += sum;
  }
}
static void test_parallel_task(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp task
    delay();
  }
}
static void test_master_task(long n) {
  const long all = n * omp_get_max_threads();
#pragma omp parallel
#pragma omp master
  for (long i = 0; i < all; ++i) {
#pragma omp task
    delay();
  }
}
static void test_task_wait(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp task
    delay();
#pragma omp taskwait
  }
}
static void test_nested_task(long n) {
#pragma omp parallel
  for (long i = 0; i < n / inner; ++i) {
#pragma omp task
    for (int k = 0; k < inner; ++k) {
#pragma omp task
      delay();
    }
#pragma omp taskwait
  }
}
static void leaves(int depth) {
  if (depth == 0) {
    delay();
    return;
  }
#pragma omp task
  leaves(depth - 1);
#pragma omp task
  leaves(depth - 1);
#pragma omp taskwait
}
static void test_leaf_tree(long n) {
#pragma omp parallel
  for (long i = 0; i < n / inner; ++i) leaves(6);
}

static long overhead_of(void (*test)(long), long n) {
  const long whole = (n / inner + 1) * inner;
  test(whole);
  return whole;
}
#define CASE(name)                      \
  static long run_##name(long n) {      \
    return overhead_of(test_##name, n); \
  }
CASE(parallel)
CASE(parallel_for)
CASE(for)
CASE(barrier)
CASE(single)
CASE(critical)
CASE(lock)
CASE(ordered)
CASE(reduction)
CASE(parallel_task)
CASE(master_task)
CASE(task_wait)
CASE(nested_task)
CASE(leaf_tree)

int main(int argc, char** argv) {
  static const struct bench_case cases[] = {
      {"parallel", run_parallel},
      {"parallel_for", run_parallel_for},
      {"for", run_for},
      {"barrier", run_barrier},
      {"single", run_single},
      {"critical", run_critical},
      {"lock", run_lock},
      {"ordered", run_ordered},
      {"reduction", run_reduction},
      {"parallel_task", run_parallel_task},
      {"master_task", run_master_task},
      {"task_wait", run_task_wait},
      {"nested_task", run_nested_task},
      {"leaf_tree", run_leaf_tree},
  };
  omp_init_lock(&lock);
  calibrate();
  printf("delay %.3f\n", delay_ns);
  return bench_main(argc, argv, cases, (int)(sizeof cases / sizeof cases[0]));
}
