// SPDX-License-Identifier: BSD-3-Clause
// One construct of OpenMP with what is at the next level inside, counted by the program itself. HALF is the function's
// name: GCC builds one, clang the other. No worksharing has a barrier of its own: GCC's code calls that an explicit
// one.
#include <omp.h>
#include <time.h>

#include "mixed.h"

static omp_lock_t lock[levels];

__attribute__((constructor)) static void init(void) {
  for (int i = 0; i < levels; ++i) omp_init_lock(&lock[i]);
}

static void count(const struct walk* walk, int what) {
  __atomic_add_fetch(&walk->counts[what], 1, __ATOMIC_RELAXED);
}

static void inside(const struct walk* walk, int level) {
  if (level + 1 < levels && walk->kind[level + 1] >= 0) {
    walk->half[(walk->first + level + 1) & 1](walk, level + 1);
  } else if (walk->held != NULL) {
    nanosleep(&(struct timespec){0, 2000000}, NULL);
  }
}

static void in_critical(const struct walk* walk, int level) {
  count(walk, criticals);
  const double from = omp_get_wtime();
  inside(walk, level);
  if (level == 0 && walk->held != NULL) *walk->held += omp_get_wtime() - from;
}

static void critical(const struct walk* walk, int level) {
  if (level == 0) {
#pragma omp critical(outermost)
    in_critical(walk, level);
  } else if (level == 1) {
#pragma omp critical(middle)
    in_critical(walk, level);
  } else {
#pragma omp critical(innermost)
    in_critical(walk, level);
  }
}

static void set_lock(const struct walk* walk, int level) {
  omp_set_lock(&lock[level]);
  count(walk, locks);
  inside(walk, level);
  omp_unset_lock(&lock[level]);
}

static void task(const struct walk* walk, int level) {
#pragma omp task firstprivate(walk, level)
  {
    count(walk, tasks);
    inside(walk, level);
  }
}

static void wait_for_tasks(const struct walk* walk) {
#pragma omp taskwait
  count(walk, taskwaits);
}

static void in_region(const struct walk* walk, int level) {
  count(walk, members);
  switch (walk->kind[level]) {
    case 1:
      critical(walk, level);
#pragma omp barrier
      count(walk, barriers);
      return;
    case 2:
      count(walk, loops);
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 3; ++i) inside(walk, level);
      return;
    case 3:
      set_lock(walk, level);
      return;
    case 4:
#pragma omp single nowait
    {
      task(walk, level);
      task(walk, level);
      wait_for_tasks(walk);
    }
      return;
    case 5:
#pragma omp single nowait
      task(walk, level);
#pragma omp barrier
      count(walk, barriers);
      inside(walk, level);
      return;
    default:
      inside(walk, level);
  }
}

/// Kinds from 6 on have no region of their own.
void HALF(const struct walk* walk, int level) {
  switch (walk->kind[level]) {
    case 6:
#pragma omp task if (0) firstprivate(walk, level)
    {
      count(walk, tasks);
      inside(walk, level);
    }
      return;
    case 7:
      critical(walk, level);
      return;
    case 8:
      task(walk, level);
      wait_for_tasks(walk);
      return;
    case 9:
      task(walk, level);
      return;
    default:
      count(walk, regions);
#pragma omp parallel num_threads(2)
      in_region(walk, level);
  }
}
