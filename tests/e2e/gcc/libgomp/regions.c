// SPDX-License-Identifier: BSD-3-Clause
// Regions, nested ones, sections, single, scope, mutexes, locks, cancellation, teams and target regions on the host.
#include <omp.h>
#include <stdio.h>

static long total;
#define ADD(n) __atomic_add_fetch(&total, (long)(n), __ATOMIC_RELAXED)

static void work(int n) {
#pragma omp parallel num_threads(n)
  {
#pragma omp sections
    {
#pragma omp section
      ADD(1);
#pragma omp section
      ADD(2);
#pragma omp section
      ADD(3);
    }
#pragma omp sections nowait
    {
#pragma omp section
      ADD(4);
    }
#pragma omp single
    ADD(5);
#pragma omp single nowait
    ADD(6);
    long handed;
#pragma omp single copyprivate(handed)
    handed = 7;
    ADD(handed == 7 ? 0 : 1000000);
#pragma omp master
    ADD(8);
#pragma omp scope
    ADD(0);
#pragma omp barrier
  }
#pragma omp parallel sections num_threads(n)
  {
#pragma omp section
    ADD(9);
#pragma omp section
    ADD(10);
  }
}

static void reduced(int n) {
  long sum = 0;
#pragma omp parallel num_threads(n) reduction(task, + : sum)
  {
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
  }
  ADD(sum);
  sum = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp for reduction(task, + : sum) schedule(dynamic, 4)
    for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
#pragma omp for reduction(task, + : sum) schedule(nonmonotonic : runtime)
    for (int i = 0; i < 40; ++i) sum += i;
#pragma omp sections reduction(task, + : sum)
    {
#pragma omp section
        {
#pragma omp task in_reduction(+ : sum)
            sum += 1;
  }
}
#if __GNUC__ >= 12
#pragma omp scope reduction(task, + : sum)
{
#pragma omp task in_reduction(+ : sum)
  sum += omp_get_num_threads() > 0 ? 0 : 1;
}
#endif
}
ADD(sum);
}

static void mutexes(int n) {
  static long counter;
  static long double wide;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(n)
  for (int i = 0; i < 50; ++i) {
#pragma omp critical
    ++counter;
#pragma omp critical(named)
    ADD(1);
#pragma omp atomic
    wide += 1;
    omp_set_lock(&lock);
    ++counter;
    omp_unset_lock(&lock);
    while (!omp_test_lock(&lock)) {
    }
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ADD(omp_test_nest_lock(&nest));
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  printf("wide %ld\n", (long)wide / n);
}

static void nested(void) {
  omp_set_max_active_levels(3);
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    for (int r = 0; r < 3; ++r) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
      {
        sum += omp_get_level();
#pragma omp barrier
#pragma omp parallel num_threads(2) reduction(+ : sum) if (r == 1)
        sum += 1;
      }
    }
  }
  printf("nested %ld\n", sum);
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(4) reduction(+ : sum)
  sum += omp_get_num_threads();
  printf("serialised %ld\n", sum);
}

static void cancelled(int n) {
  int found = 0;
#pragma omp parallel num_threads(n)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
      if (i == 50) {
#pragma omp atomic write
        found = 1;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp barrier
  }
#pragma omp parallel num_threads(n)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp cancellation point parallel
  }
#pragma omp parallel num_threads(n)
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 10; ++i) {
#pragma omp task
    {
#pragma omp cancel taskgroup if (i == 3)
    }
  }
  printf("found %d\n", found);
}

static void devices(void) {
  int a[10], sum = 0;
  for (int i = 0; i < 10; ++i) a[i] = i;
#pragma omp target data map(tofrom : a)
  {
#pragma omp target map(tofrom : sum)
    for (int i = 0; i < 10; ++i) sum += a[i];
#pragma omp target update from(a)
  }
#pragma omp target enter data map(to : a)
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += a[i];
#pragma omp target exit data map(delete : a)
#pragma omp target nowait map(tofrom : sum)
  sum += 1;
#pragma omp taskwait
  printf("target %d\n", sum);
}

int main(void) {
  for (int n = 1; n <= omp_get_max_threads(); n *= 2) {
    work(n);
    reduced(n);
    mutexes(n);
    cancelled(n);
    printf("%d threads %ld\n", n, total);
  }
  nested();
#pragma omp teams num_teams(3) thread_limit(2)
  {
    ADD(omp_get_num_teams() == 3 ? 1 : 0);
#pragma omp parallel num_threads(2)
    ADD(1);
  }
  devices();
  printf("total %ld\n", total);
  return 0;
}
