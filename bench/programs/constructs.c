/* SPDX-License-Identifier: BSD-3-Clause
 * The construct micro-benchmark: nanoseconds per OpenMP construct with an empty body. */
#include "harness.h"

static omp_lock_t lock;
static omp_nest_lock_t nest;

static long barrier(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp barrier
  }
  return n;
}

static long parallel(long n) {
  for (long i = 0; i < n; ++i) {
#pragma omp parallel
    bench_keep();
  }
  return n;
}

static long critical(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp critical
    bench_keep();
  }
  return n;
}

static long set_lock(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  return n;
}

static long nest_lock(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  return n;
}

static long task(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp task
    bench_keep();
  }
  return n;
}

static long task_depend(long n) {
#pragma omp parallel
  {
    char chain = 0;
    for (long i = 0; i < n; ++i) {
#pragma omp task depend(inout : chain) shared(chain)
      bench_keep();
    }
#pragma omp taskwait
  }
  return n;
}

static long taskwait(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp taskwait
  }
  return n;
}

static long taskgroup(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp taskgroup
    bench_keep();
  }
  return n;
}

static long single_nowait(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp single nowait
    bench_keep();
  }
  return n;
}

static long for_static_nowait(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp for schedule(static) nowait
    for (int k = 0; k < 4; ++k) bench_keep();
  }
  return n;
}

/* One loop of n chunks: the cost of a chunk. */
static long dynamic_chunk(long n) {
  const long threads = omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1)
  for (long i = 0; i < n * threads; ++i) bench_keep();
  return n;
}

static long sections_nowait(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp sections nowait
    {
#pragma omp section
      bench_keep();
#pragma omp section
      bench_keep();
    }
  }
  return n;
}

static long masked(long n) {
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp master
    bench_keep();
  }
  return n;
}

static long reduction(long n) {
  long sum = 0;
#pragma omp parallel
  for (long i = 0; i < n; ++i) {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int k = 0; k < 4; ++k) sum += k;
  }
  return n;
}

static int fib_tasks(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = fib_tasks(n - 1);
#pragma omp task shared(y)
  y = fib_tasks(n - 2);
#pragma omp taskwait
  return x + y;
}

/* Per task: fib(12) makes 464. */
static long fib(long n) {
  enum { tasks = 464 };
  const long rounds = n / tasks + 1;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < rounds; ++i) fib_tasks(12);
  return rounds * tasks;
}

int main(int argc, char** argv) {
  static const struct bench_case cases[] = {
      {"barrier", barrier},
      {"parallel", parallel},
      {"critical", critical},
      {"lock", set_lock},
      {"nest_lock", nest_lock},
      {"task", task},
      {"task_depend", task_depend},
      {"taskwait", taskwait},
      {"taskgroup", taskgroup},
      {"single_nowait", single_nowait},
      {"for_static_nowait", for_static_nowait},
      {"dynamic_chunk", dynamic_chunk},
      {"sections_nowait", sections_nowait},
      {"masked", masked},
      {"reduction", reduction},
      {"fib_task", fib},
  };
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  return bench_main(argc, argv, cases, (int)(sizeof cases / sizeof cases[0]));
}
