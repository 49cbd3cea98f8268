// SPDX-License-Identifier: BSD-3-Clause
// Cancellation of regions, loops, sections and groups: in the first chunk, in the middle, at cancellation points, and
// not at all. Each thread's loops end where they are left: a chunk that was handed out and not followed by a request
// counts, too.
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

bool GOMP_cancel(int which, bool really);

static volatile int sink;

static void loops(int limit) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 200; ++i) {
      sink = i;
      if (i >= limit) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(guided)
    for (unsigned long long i = 0; i < 200; ++i) {
#pragma omp cancel for if ((int)i == limit)
      sink = (int)i;
#pragma omp cancellation point for
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < 200; ++i) {
      sink = i;
#pragma omp cancel for if (i >= limit)
    }
#pragma omp for schedule(static, 2)
    for (int i = 0; i < 200; ++i) {
      sink = i;
#pragma omp cancel for if (i >= limit)
    }
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 50; ++i) sink = i;
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections if (limit < 100)
        sink = 1;
      }
#pragma omp section
      {
#pragma omp cancellation point sections
        sink = 2;
      }
    }
  }
}

static void regions(int limit) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < 100; ++i) {
    sink = i;
    if (i >= limit) {
#pragma omp cancel for
    }
  }
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0 && limit < 100) {
#pragma omp cancel parallel
    }
#pragma omp cancellation point parallel
    sink = 7;
#pragma omp barrier
  }
}

static void groups(int limit) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 20; ++i) {
#pragma omp task if (0)
        {
          sink = i;
#pragma omp cancel taskgroup if (i == limit)
#pragma omp cancellation point taskgroup
        }
      }
    }
#pragma omp task
    sink = 9;
  }
}

/// A thread comes to the end of a loop in a region that the other has cancelled: it calls what the pragma calls, and
/// tells of it before the pragma leaves the region.
static void reductions(void) {
  long sum = 0;
  int is_cancelled = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      GOMP_cancel(1, true);
      __atomic_store_n(&is_cancelled, 1, __ATOMIC_RELEASE);
#pragma omp cancel parallel
    } else {
      while (__atomic_load_n(&is_cancelled, __ATOMIC_ACQUIRE) == 0) {
      }
    }
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < 10; ++i) {
      sum += i;
#pragma omp cancel for if (sum < 0)
    }
  }
}

int main(void) {
  for (int limit = 0; limit <= 1000; limit = limit == 0 ? 7 : limit * 10) {
    loops(limit);
    regions(limit);
    groups(limit);
  }
  reductions();
  printf("done, cancellation %d\n", omp_get_cancellation());
  return 0;
}
