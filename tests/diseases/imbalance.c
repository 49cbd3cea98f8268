// SPDX-License-Identifier: BSD-3-Clause
// Threads with unequal work, and work of one thread while the others wait. As all programs here, `imbalance NAME` has
// that disease, and prints what an expert would say of it: the finding, the thread-seconds lost to it by the program's
// own clock, and the line; "none": healthy, nothing may be found. Work is made of sleeps wherever the disease allows
// it: four threads need no four processors, and a loaded machine does not matter.
#include "disease.h"

#define FEW_ITERATIONS 40

static void imbalance_static(void) {
  int line = 0;
#pragma omp parallel num_threads(N)
  {
    line = __LINE__ + 1;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < FEW_ITERATIONS; ++i) rest(i < FEW_ITERATIONS / N ? unit / 4 : unit / 20);
    ARRIVED;
  }
  say("imbalance", waited(arrival, N), line);
}

static void imbalance_dynamic(void) {
  int line = 0;
#pragma omp parallel num_threads(N)
  {
    line = __LINE__ + 1;
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < FEW_ITERATIONS; ++i) rest(i == FEW_ITERATIONS - 1 ? 8 * unit : unit / 20);
    ARRIVED;
  }
  say("imbalance", waited(arrival, N), line);
}

static void imbalance_guided(void) {
  int line = 0;
#pragma omp parallel num_threads(N)
  {
    line = __LINE__ + 1;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < FEW_ITERATIONS; ++i) rest(i < FEW_ITERATIONS / N ? unit / 2 : unit / 20);
    ARRIVED;
  }
  say("imbalance", waited(arrival, N), line);
}

static void imbalance_few_iterations(void) {
  int line = 0;
#pragma omp parallel num_threads(N)
  {
    line = __LINE__ + 1;
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < N + 1; ++i) rest(5 * unit);
    ARRIVED;
  }
  say("imbalance", waited(arrival, N), line);
}

static void imbalance_region(void) {
  const int line = __LINE__ + 1;
#pragma omp parallel num_threads(N)
  {
    rest((1 + omp_get_thread_num()) * 2 * unit);
    ARRIVED;
  }
  say("imbalance", waited(arrival, N), line);
}

static void imbalance_sections(void) {
  int line = 0;
#pragma omp parallel num_threads(2)
  {
    line = __LINE__ + 1;
#pragma omp sections nowait
    {
#pragma omp section
      rest(10 * unit);
#pragma omp section
      rest(unit);
    }
    ARRIVED;
  }
  say("imbalance", waited(arrival, 2), line);
}

static void imbalance_at_a_barrier(void) {
  const int line = __LINE__ + 1;
#pragma omp parallel num_threads(N)
  {
    rest(omp_get_thread_num() == 2 ? 8 * unit : unit);
    ARRIVED;
#pragma omp barrier
    rest(unit);
  }
  say("imbalance", waited(arrival, N), line);
}

/// Another thread is the slowest each time: the sums per thread are even.
static void imbalance_alternating(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N)
  for (int round = 0; round < 8; ++round) {
    line = __LINE__ + 1;
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < 4 * N; ++i) rest(i % N == round % N ? unit / 4 : unit / 40);
    ARRIVED;
#pragma omp barrier
#pragma omp masked
    lost += waited(arrival, N);
#pragma omp barrier
  }
  say("imbalance", lost, line);
}

static void imbalance_nested(void) {
  double lost[2];
  int line = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int team = omp_get_thread_num();
    double mine[2];
    line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
      rest(omp_get_thread_num() == 0 ? 8 * unit : unit);
      mine[omp_get_thread_num()] = now();
    }
    lost[team] = waited(mine, 2);
  }
  say("imbalance", lost[0] + lost[1], line);
}

static void even_region(void) {
#pragma omp parallel num_threads(N)
  rest(4 * unit);
}

static void serial_before(void) {
  const double begin = now();
  rest(10 * unit);
  const double serial = now() - begin;
  even_region();
  say("serial", serial * (N - 1), 0);
}

static void serial_between(void) {
  double serial = 0;
  for (int i = 0; i < 5; ++i) {
#pragma omp parallel num_threads(N)
    rest(unit);
    const double begin = now();
    rest(2 * unit);
    serial += now() - begin;
  }
  say("serial", serial * (N - 1), 0);
}

static void serial_after(void) {
  even_region();
  const double begin = now();
  rest(8 * unit);
  say("serial", (now() - begin) * (N - 1), 0);
}

static void single_bottleneck(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N)
  {
    rest(unit);
    line = __LINE__ + 1;
#pragma omp single nowait
    rest(8 * unit);
    ARRIVED;
  }
  lost = waited(arrival, N);
  say("single", lost, line);
}

static void masked_bottleneck(void) {
  int line = 0;
#pragma omp parallel num_threads(N)
  {
    rest(unit);
    line = __LINE__ + 1;
#pragma omp masked
    rest(8 * unit);
    ARRIVED;
  }
  say("single", waited(arrival, N), line);
}

static const struct disease diseases[] = {
    {"imbalance-static", imbalance_static},
    {"imbalance-dynamic", imbalance_dynamic},
    {"imbalance-guided", imbalance_guided},
    {"imbalance-few-iterations", imbalance_few_iterations},
    {"imbalance-region", imbalance_region},
    {"imbalance-sections", imbalance_sections},
    {"imbalance-barrier", imbalance_at_a_barrier},
    {"imbalance-alternating", imbalance_alternating},
    {"imbalance-nested", imbalance_nested},
    {"serial-before", serial_before},
    {"serial-between", serial_between},
    {"serial-after", serial_after},
    {"single", single_bottleneck},
    {"masked", masked_bottleneck},
};

int main(int argc, char** argv) {
  return run_disease(diseases, sizeof diseases / sizeof *diseases, argc, argv);
}
