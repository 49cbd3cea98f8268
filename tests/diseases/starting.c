// SPDX-License-Identifier: BSD-3-Clause
// What surrounds the work: serial parts, regions and barriers that come too often, threads without a team, tasks.
#include "disease.h"

static void even_region(double seconds) {
#pragma omp parallel num_threads(N)
  rest(seconds);
}

/// Beside other load the thread that computes shares its processor: it is serial all the same.
static void serial_computing(void) {
  double serial = 0;
  for (int i = 0; i < 12; ++i) {
    const double begin = now();
    burn(2 * unit);
    serial += now() - begin;
    even_region(unit / 3);
  }
  say("serial", serial * (N - 1), 0);
}

static void serial_half(void) {
  double serial = 0;
  for (int i = 0; i < 6; ++i) {
    even_region(unit);
    const double begin = now();
    rest(unit);
    serial += now() - begin;
  }
  say("serial", serial * (N - 1), 0);
}

/// Two functions, a short region each, called in turns.
static double x[64], y[64];

static double dot(void) {
  double sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 64; ++i) sum += x[i] * y[i];
  return sum;
}

static void axpy(double a) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) y[i] += a * x[i];
}

static void two_short_regions(void) {
  double sum = 0;
  const double begin = now();
  for (int i = 0; i < 30000; ++i) {
    sum += dot();
    axpy(1e-9);
  }
  say("short-regions", 2 * (now() - begin) + 0 * sum, 0);  // of either
}

static void four_short_regions(void) {
  int line = 0;
  const double begin = now();
  for (int i = 0; i < 15000; ++i) {
    line = __LINE__ + 1;
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 64; ++k) x[k] = k;
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 64; ++k) y[k] = x[k];
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 64; ++k) x[k] += y[k];
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 64; ++k) y[k] += 1;
  }
  say("short-regions", 2 * (now() - begin), line);
}

static double matrix[64][64];

static void column_barriers(void) {
  int line = 0;
  const double begin = now();
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 1500; ++round)
    for (int k = 0; k < 63; ++k) {
      line = __LINE__ + 1;
#pragma omp for
      for (int i = k + 1; i < 64; ++i) matrix[i][k] = matrix[i][k] * 0.5 + 1;
    }
  say("frequent-barriers", 2 * (now() - begin), line);
}

static void two_barriers(void) {
  int line = 0;
  const double begin = now();
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 40000; ++i) {
    compute(5);
    line = __LINE__ + 1;
#pragma omp barrier
    compute(5);
#pragma omp barrier
  }
  say("frequent-barriers", 2 * (now() - begin), line);
}

static void fewer_threads(void) {
  double lost = 0;
  int line = 0;
  even_region(unit);
  for (int i = 0; i < 4; ++i) {
    const double begin = now();
    line = __LINE__ + 1;
#pragma omp parallel num_threads(N / 2)
    rest(3 * unit);
    lost += (now() - begin) * (N - N / 2);
  }
  say("unused-threads", lost, line);
}

/// What tasks did, and when the last of them ended. The threads are there before: what starting them takes is another
/// disease.
static double busy, task_end;

static void leaf(void) {
  const double begin = now();
  rest(unit / 5);
  const double end = now();
#pragma omp critical(leaf)
  {
    busy += end - begin;
    if (end > task_end) task_end = end;
  }
}

static void say_starvation(double begin, int line) {
  say("starvation", N * (task_end - begin) - busy, line);
}

static void taskwait_after_two(void) {
  int line = 0;
  double begin = 0;
  even_region(unit / 10);
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 40; ++i) {
#pragma omp task
      leaf();
#pragma omp task
      leaf();
      line = __LINE__ + 1;
#pragma omp taskwait
    }
  }
  say_starvation(begin, line);
}

static void taskgroup_of_one(void) {
  int line = 0;
  double begin = 0;
  even_region(unit / 10);
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 40; ++i) {
      line = __LINE__ + 1;
#pragma omp taskgroup
      {
#pragma omp task
        leaf();
      }
    }
  }
  say_starvation(begin, line);
}

static void two_chains(void) {
  int line = 0, chain[2] = {0, 0};
  double begin = 0;
  even_region(unit / 10);
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    for (int i = 0; i < 40; ++i) {
      int* link = &chain[i % 2];
      line = __LINE__ + 1;
#pragma omp task depend(inout : link[0])
      leaf();
    }
  }
  say_starvation(begin, line);
}

static void few_tasks_of_a_taskloop(void) {
  int line = 0;
  double begin = 0;
  even_region(unit / 10);
#pragma omp parallel num_threads(N)
#pragma omp single
  {
    begin = now();
    line = __LINE__ + 1;
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 40; ++i) leaf();
  }
  say_starvation(begin, line);
}

static void healthy_mostly_parallel(void) {
  for (int i = 0; i < 5; ++i) {
    even_region(5 * unit);
    compute(1000);
  }
  say("none", 0, 0);
}

static void healthy_waves(void) {
#pragma omp parallel num_threads(N)
#pragma omp single
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 4 * N; ++k) {
#pragma omp task
      rest(unit / 2);
    }
#pragma omp taskwait
  }
  say("none", 0, 0);
}

static const struct disease diseases[] = {
    {"serial-computing", serial_computing},
    {"serial-half", serial_half},
    {"two-short-regions", two_short_regions},
    {"four-short-regions", four_short_regions},
    {"column-barriers", column_barriers},
    {"two-barriers", two_barriers},
    {"fewer-threads", fewer_threads},
    {"taskwait-after-two", taskwait_after_two},
    {"taskgroup-of-one", taskgroup_of_one},
    {"two-chains", two_chains},
    {"few-tasks-of-a-taskloop", few_tasks_of_a_taskloop},
    {"healthy-mostly-parallel", healthy_mostly_parallel},
    {"healthy-waves", healthy_waves},
};

int main(int argc, char** argv) {
  return run_disease(diseases, sizeof diseases / sizeof *diseases, argc, argv);
}
