// SPDX-License-Identifier: BSD-3-Clause
// many_kinds WHAT: some of each construct of a kind, in small teams, so that a change of any record meets others of its
// kind.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile long sink;

static void loops(void) {
  long sum = 0;
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic, 2)
      for (int k = 0; k < 12; ++k) sink = k;
#pragma omp single
      sink = 1;
#pragma omp barrier
#pragma omp sections
      {
#pragma omp section
        sink = 2;
#pragma omp section
        sink = 3;
      }
#pragma omp masked
      sink = 4;
#pragma omp for reduction(+ : sum)
      for (int k = 0; k < 6; ++k) sum += k;
    }
  }
  sink = sum;
}

static void tasks(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    {
      int a = 0;
      for (int k = 0; k < 8; ++k) {
#pragma omp task depend(inout : a) shared(a)
        {
          a += k;
#pragma omp task
          sink = k;
#pragma omp taskwait
        }
      }
#pragma omp taskgroup
      {
        for (int k = 0; k < 4; ++k) {
#pragma omp task untied
          {
            sink = k;
#pragma omp taskyield
          }
        }
      }
#pragma omp taskloop
      for (int k = 0; k < 8; ++k) sink = k;
    }
  }
}

static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
  for (int k = 0; k < 5; ++k) {
    omp_set_lock(&lock);
    sink = k;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical
    sink = k;
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp for ordered
      for (int k = 0; k < 4; ++k) {
#pragma omp ordered
        sink = k;
      }
    }
  }
}

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "loops";
  if (strcmp(what, "loops") == 0) loops();
  if (strcmp(what, "tasks") == 0) tasks();
  if (strcmp(what, "locks") == 0) locks();
  if (strcmp(what, "nested") == 0) nested();
  if (strcmp(what, "killed") == 0) {
    loops();
    tasks();
#pragma omp parallel num_threads(3)
    {
      if (omp_get_thread_num() == 2) {
        usleep(20000);
        kill(getpid(), SIGKILL);
      }
#pragma omp barrier
    }
  }
  printf("%ld\n", (long)sink);
  return 0;
}
