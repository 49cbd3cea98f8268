// SPDX-License-Identifier: BSD-3-Clause
// Tasks: too few, too late, in a chain, too small.
#include <stdatomic.h>

#include "disease.h"

/// What tasks did, and when the last of them ended. The threads are there before: what starting them takes is another
/// disease.
static double task_work, task_end;

static void start_threads(void) {
#pragma omp parallel num_threads(N)
  rest(unit / 10);
}

static void task_done(double begin) {
  const double end = now();
#pragma omp critical(task_done)
  {
    task_work += end - begin;
    if (end > task_end) task_end = end;
  }
}

static void run_task(double seconds) {
  const double begin = now();
  rest(seconds);
  task_done(begin);
}

static void too_few_tasks(void) {
  int line = 0;
  double begin = 0;
  start_threads();
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 2; ++i) {
      line = __LINE__ + 1;
#pragma omp task
      run_task(8 * unit);
    }
  }
  say("starvation", N * (task_end - begin) - task_work, line);
}

static void long_last_task(void) {
  int line = 0;
  double begin = 0;
  start_threads();
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 13; ++i) {
      line = __LINE__ + 1;
#pragma omp task
      run_task(i == 12 ? 10 * unit : unit);
    }
  }
  say("starvation", N * (task_end - begin) - task_work, line);
}

static void chain_of_tasks(void) {
  int line = 0, chain = 0;
  double begin = 0;
  start_threads();
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 12; ++i) {
      line = __LINE__ + 1;
#pragma omp task depend(inout : chain)
      run_task(unit);
    }
  }
  say("starvation", N * (task_end - begin) - task_work, line);
}

static void slow_producer(void) {
  int line = 0;
  double begin = 0;
  start_threads();
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 20; ++i) {
      run_task(unit / 2);
      line = __LINE__ + 1;
#pragma omp task
      run_task(unit / 4);
    }
  }
  say("starvation", N * (task_end - begin) - task_work, line);
}

/// A thread that waits in a tied task may not run that task's siblings: it sits beside a full queue. Three threads: one
/// creates, one waits, one has what it waits for.
static void tied_wait(void) {
  int line = 0;
  atomic_int begun = 0;
  double queued = 0, done = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp task shared(begun, done, line)
    {
#pragma omp task shared(begun)
      {
        begun = 1;
        rest(10 * unit);
      }
      for (int i = 0; i < 500 && !begun; ++i) rest(unit / 20);  // somebody else has it
      line = __LINE__ + 1;
#pragma omp taskwait
      done = now();
    }
    for (int i = 0; i < 500 && !begun; ++i) rest(unit / 20);
    rest(unit / 4);
    queued = now();
    for (int i = 0; i < 6; ++i) {
#pragma omp task
      rest(unit);
    }
    rest(11 * unit);
  }
  say("queued-tasks", done - queued, line);
}

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static long fib_serial(int n) {
  return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

static void recursive_tasks(void) {
  volatile long sink = 0;
  double begin = now();
  sink = fib_serial(24);
  const double work = now() - begin;
  const int line = __LINE__ - 16;
  double took = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    begin = now();
    sink += fib(24);
    took = now() - begin;
  }
  say("small-tasks", 2 * took - work, line);
}

static void flat_tasks(void) {
  enum { tasks = 200000 };
  double begin = now();
  for (int i = 0; i < tasks; ++i) compute(10);
  const double work = now() - begin;
  int line = 0;
  begin = now();
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
    line = __LINE__ + 1;
#pragma omp task
    compute(10);
  }
  say("small-tasks", 2 * (now() - begin) - work, line);
}

static void healthy_tasks(void) {
#pragma omp parallel num_threads(N)
#pragma omp single nowait
  for (int i = 0; i < 20 * N; ++i) {
#pragma omp task
    rest(unit);
  }
  say("none", 0, 0);
}

static const struct disease diseases[] = {
    {"few-tasks", too_few_tasks},     {"long-last-task", long_last_task}, {"task-chain", chain_of_tasks},
    {"slow-producer", slow_producer}, {"tied-wait", tied_wait},           {"recursive-tasks", recursive_tasks},
    {"flat-tasks", flat_tasks},       {"healthy-tasks", healthy_tasks},
};

int main(int argc, char** argv) {
  return run_disease(diseases, sizeof diseases / sizeof *diseases, argc, argv);
}
