// SPDX-License-Identifier: BSD-3-Clause
// Every construct that GCC has for C, with its line and how often: a comment behind a pragma has what the report calls
// it and, behind =, the number of its executions with T threads. GCC gives some calls no line: with ~ it may be one
// near the pragma's, with ? any (that of what is before the call in the code, which may come from elsewhere), with !14
// any of GCC 14. Those with a number behind them are expected of compilers up to that version.
#include <omp.h>
#include <stdio.h>
#include <string.h>

static volatile long total;
#define ADD(n) __atomic_add_fetch(&total, (long)(n), __ATOMIC_RELAXED)
static int T;

struct point {
  long x, y, z;
};
static long double wide;
static omp_lock_t lock;
static omp_nest_lock_t nested;

static void loops(void) {
#pragma omp parallel  // parallel=T
  {
#pragma omp for schedule(dynamic, 3)  // for~=T
    for (int i = 0; i < 40; ++i) ADD(i);
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp for schedule(guided) nowait  // for~=T
    for (unsigned long long i = 0; i < 40; ++i) ADD(i);
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp for schedule(runtime)  // for~=T
    for (int i = 40; i > 0; --i) ADD(i);
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp for schedule(monotonic : dynamic) collapse(2)  // for~=T
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 5; ++k) ADD(i * k);
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp for ordered schedule(dynamic)  // for~=T
    for (int i = 0; i < 6; ++i) {
#pragma omp ordered  // ordered?=6, ordered sblock?=6
      ADD(i);
    }
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp for ordered(2) schedule(static, 1)  // for~=T
    for (int i = 1; i < 5; ++i)
      for (int k = 1; k < 3; ++k) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)  // doacross sink?
        ADD(i);
#pragma omp ordered depend(source)  // doacross source?=8
      }
  }
#pragma omp parallel for schedule(dynamic, 2)  // parallel=T, for=T
  for (int i = 0; i < 20; ++i) ADD(i);
#pragma omp parallel for schedule(guided)  // parallel=T, for=T
  for (int i = 0; i < 20; ++i) ADD(i);
#pragma omp parallel for schedule(runtime)  // parallel=T, for=T
  for (int i = 0; i < 20; ++i) ADD(i);
#pragma omp parallel for schedule(static)  // parallel=T
  for (int i = 0; i < 20; ++i) ADD(i);
#pragma omp parallel for simd schedule(auto)  // parallel=T
  for (int i = 0; i < 20; ++i) ADD(i);
#pragma omp parallel  // parallel=T
#pragma omp loop bind(parallel)
  for (int i = 0; i < 20; ++i) ADD(i);
}

static void blocks(void) {
  long shared = 0;
#pragma omp parallel  // parallel=T
  {
#pragma omp sections  // sections~=T
    {
#pragma omp section
      ADD(1);
#pragma omp section
      ADD(2);
#pragma omp section
      ADD(3);
    }
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp single  // single~=T, single sblock~=1
    ADD(4);
    long given = 0;
    ADD(1);
    ADD(2);
    ADD(3);
#pragma omp single copyprivate(given)  // single~=T, single sblock~=1
    given = 7;
    ADD(given);
    ADD(2);
    ADD(3);
#pragma omp scope reduction(+ : shared)
    shared += 1;
#pragma omp masked filter(0)
    ADD(shared);
#pragma omp barrier  // barrier=T
    ADD(5);
  }
#pragma omp parallel sections  // parallel=T, sections=T
  {
#pragma omp section
    ADD(1);
#pragma omp section
    ADD(2);
  }
}

static void exclusion(void) {
  struct point p = {0, 0, 0};
#pragma omp parallel  // parallel=T
  {
#pragma omp critical  // critical=T, critical sblock=T
    ADD(1);
#pragma omp critical(named) hint(omp_sync_hint_contended)  // critical=T, critical sblock=T
    p.x += 1;
#pragma omp atomic  // atomic~=T
    wide += 1;
    omp_set_lock(&lock);                   // omp_set_lock=T
    omp_unset_lock(&lock);                 // omp_unset_lock=T
    omp_set_nest_lock(&nested);            // omp_set_nest_lock=T
    omp_set_nest_lock(&nested);            // omp_set_nest_lock=T
    omp_unset_nest_lock(&nested);          // omp_unset_nest_lock=T
    omp_unset_nest_lock(&nested);          // omp_unset_nest_lock=T
    while (!omp_test_lock(&lock)) ADD(0);  // omp_test_lock
    omp_unset_lock(&lock);                 // omp_unset_lock=T
  }
}

static void tasks(void) {
  int a = 0, b = 0;
#pragma omp parallel  // parallel=T
#pragma omp single
  {
#pragma omp task  // create task=1, task=1
    ADD(1);
#pragma omp task if (0)  // create task=1, task=1
    ADD(1);
#pragma omp task final(1) priority(5)  // create task=1, task=1
    ADD(1);
#pragma omp task untied mergeable  // create task=1, task untied=1
    ADD(1);
#pragma omp task depend(out : a) shared(a)  // create task=1, task=1
    a = 1;
#pragma omp task depend(in : a) depend(inout : b) shared(a, b)  // create task=1, task=1
    b = a;
#pragma omp taskwait depend(in : b)  // taskwait~=1
    ADD(b);
    omp_event_handle_t event;
#pragma omp task detach(event)  // create task=1, task=1
    omp_fulfill_event(event);
#pragma omp taskwait  // taskwait=1
    ADD(1);
#pragma omp taskgroup  // taskgroup~=1
    {
#pragma omp task  // create task=1, task=1
      ADD(1);
    }
    ADD(1);
#pragma omp taskloop grainsize(4)  // taskloop=1, taskgroup=1, task=5
    for (int i = 0; i < 20; ++i) ADD(i);
#pragma omp taskloop num_tasks(7) nogroup  // taskloop=1, task=7
    for (int i = 0; i < 20; ++i) ADD(i);
    long sum = 0;
#pragma omp taskloop reduction(+ : sum) num_tasks(3)  // taskloop=1, task=3
    for (int i = 0; i < 20; ++i) sum += i;
    ADD(sum);
    sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)  // taskgroup~=1
    {
#pragma omp task in_reduction(+ : sum)  // create task=1, task=1
      sum += 2;
    }
    ADD(sum);
  }
}

static void teams_and_targets(void) {
  int x[10] = {0};
#pragma omp teams num_teams(3)  // teams=3
  {
#pragma omp distribute
    for (int i = 0; i < 10; ++i) ADD(i);
#pragma omp parallel  // parallel=3*T
    ADD(1);
  }
#pragma omp teams distribute parallel for num_teams(2)  // teams=2
  for (int i = 0; i < 10; ++i) ADD(i);
#pragma omp target map(tofrom : x)  // target=1
  x[0] = 1;
#pragma omp target enter data map(to : x)                   // target enter data=1
#pragma omp target update to(x)                             // target update=1
#pragma omp target update from(x) nowait depend(inout : x)  // target update=1
#pragma omp target exit data map(from : x)                  // target exit data=1
#pragma omp target data map(tofrom : x)                     // target enter data=1
  {
#pragma omp target nowait depend(inout : x)  // target=1
    x[1] = 2;
#pragma omp taskwait  // taskwait=1
    ADD(x[1]);
  }
#pragma omp target parallel for  // target=1, parallel=T
  for (int i = 0; i < 10; ++i) ADD(i);
}

int main(void) {
  T = omp_get_max_threads();
  omp_init_lock(&lock);         // omp_init_lock=1
  omp_init_nest_lock(&nested);  // omp_init_nest_lock=1
  loops();
  blocks();
  exclusion();
  tasks();
  teams_and_targets();
  omp_destroy_lock(&lock);         // omp_destroy_lock=1
  omp_destroy_nest_lock(&nested);  // omp_destroy_nest_lock=1
  printf("total %ld %d\n", total, wide == T);
  return 0;
}
