// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for each other: for the last one at a barrier, for locks, for iterations before theirs.
#include "disease.h"

/// Short holds everywhere, and one place that holds the lock for long: its line is told as the holder's.
static omp_lock_t table;
static double waited_for_table;
static int add_line, log_line;

static void add(void) {
  const double asked = now();
  add_line = __LINE__ + 1;
  omp_set_lock(&table);
  waited_for_table += now() - asked;
  omp_unset_lock(&table);
}

static void log_state(void) {
  log_line = __LINE__ + 1;
  omp_set_lock(&table);
  rest(unit);
  omp_unset_lock(&table);
}

static void slow_holder(void) {
  omp_init_lock(&table);
#pragma omp parallel num_threads(N)
  for (int i = 0; i < 8; ++i) {
    if (omp_get_thread_num() == 2) {
      rest(unit / 2);
      log_state();
    } else {
      for (int k = 0; k < 60; ++k) {
        rest(0.001);
        add();
      }
    }
    ARRIVED;
  }
  omp_destroy_lock(&table);
  say("contention", waited_for_table + waited(arrival, N), add_line);
  printf("held at %d\n", log_line);
}

static void nested_lock(void) {
  double lost = 0;
  int line = 0;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(N) reduction(+ : lost)
  for (int i = 0; i < 3; ++i) {
    const double asked = now();
    line = __LINE__ + 1;
    omp_set_nest_lock(&lock);
    lost += now() - asked;
    omp_set_nest_lock(&lock);
    rest(unit);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    ARRIVED;
  }
  omp_destroy_nest_lock(&lock);
  say("contention", lost + waited(arrival, N), line);
}

/// Two locks, and only one of them is waited for.
static void one_lock_of_two(void) {
  double lost = 0;
  int line = 0;
  omp_lock_t locks[2];
  omp_init_lock(&locks[0]);
  omp_init_lock(&locks[1]);
#pragma omp parallel num_threads(N) reduction(+ : lost)
  for (int i = 0; i < 3; ++i) {
    if (omp_get_thread_num() == 0) {
      omp_set_lock(&locks[1]);
      rest(unit / 4);
      omp_unset_lock(&locks[1]);
    }
    const double asked = now();
    line = __LINE__ + 1;
    omp_set_lock(&locks[0]);
    lost += now() - asked;
    rest(unit);
    omp_unset_lock(&locks[0]);
    ARRIVED;
  }
  say("contention", lost + waited(arrival, N), line);
}

static void critical_in_tasks(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N)
#pragma omp single
  for (int i = 0; i < 4 * N; ++i) {
#pragma omp task shared(lost, line)
    {
      const double asked = now();
      line = __LINE__ + 1;
#pragma omp critical(of_tasks)
      {
        lost += now() - asked;
        rest(unit / 2);
      }
    }
  }
  say("contention", lost, line);
}

/// Each iteration needs the one before it, from its first line on.
static void doacross_chain(void) {
  double lost = 0;
  const int line = __LINE__ + 1;  // of the loop: runtimes do not report that of the sink
#pragma omp parallel for num_threads(N) ordered(1) schedule(static, 1) reduction(+ : lost)
  for (int i = 1; i < 161; ++i) {
    const double asked = now();
#pragma omp ordered depend(sink : i - 1)
    lost += now() - asked;
    rest(unit / 8);
#pragma omp ordered depend(source)
  }
  say("ordered", lost, line);
}

/// Half of each iteration is its own.
static void doacross_half(void) {
  double lost = 0;
  const int line = __LINE__ + 1;  // of the loop: runtimes do not report that of the sink
#pragma omp parallel for num_threads(N) ordered(1) schedule(static, 1) reduction(+ : lost)
  for (int i = 1; i < 161; ++i) {
    rest(unit / 8);
    const double asked = now();
#pragma omp ordered depend(sink : i - 1)
    lost += now() - asked;
    rest(unit / 8);
#pragma omp ordered depend(source)
  }
  say("ordered", lost, line);
}

/// A row as long as all others together, last, of a loop that no schedule makes finer.
static void huge_row(void) {
  double lost = 0;
  int line = 0;
  for (int round = 0; round < 6; ++round) {
    line = __LINE__ + 1;
#pragma omp parallel for num_threads(N) schedule(dynamic, 1)
    for (int i = 0; i < 48; ++i) {
      rest(i == 47 ? 2 * unit : unit / 20);
      ARRIVED;
    }
    lost += waited(arrival, N);
  }
  say("imbalance", lost, line);
}

static void triangular_loop(void) {
  double lost = 0;
  int line = 0;
  for (int round = 0; round < 3; ++round) {
    line = __LINE__ + 1;
#pragma omp parallel for num_threads(N) schedule(static)
    for (int i = 0; i < 32; ++i) {
      rest(i * unit / 64);
      ARRIVED;
    }
    lost += waited(arrival, N);
  }
  say("imbalance", lost, line);
}

static void long_section(void) {
  double lost = 0;
  int line = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(N)
    {
      ARRIVED;
      line = __LINE__ + 1;
#pragma omp sections nowait
      {
#pragma omp section
        {
          rest(4 * unit);
          ARRIVED;
        }
#pragma omp section
        {
          rest(unit);
          ARRIVED;
        }
#pragma omp section
        {
          rest(unit);
          ARRIVED;
        }
      }
    }
    lost += waited(arrival, N);
  }
  say("imbalance", lost, line);
}

static void single_in_a_loop(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N)
  for (int i = 0; i < 6; ++i) {
    rest(unit / 2);
    line = __LINE__ + 1;
#pragma omp single nowait
    rest(2 * unit);
    ARRIVED;
#pragma omp barrier
#pragma omp masked
    lost += waited(arrival, N);
#pragma omp barrier
  }
  say("single", lost, line);
}

static void uneven_reduction(void) {
  double lost = 0, sum = 0;
  int line = 0;
  for (int round = 0; round < 4; ++round) {
    line = __LINE__ + 1;
#pragma omp parallel for num_threads(N) schedule(static) reduction(+ : sum)
    for (int i = 0; i < 4 * N; ++i) {
      rest(i < 4 ? unit / 2 : unit / 8);
      sum += i;
      ARRIVED;
    }
    lost += waited(arrival, N);
  }
  say("imbalance", lost + 0 * sum, line);
}

/// Only one of two loops in a region is uneven.
static void second_loop(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N)
  for (int round = 0; round < 4; ++round) {
#pragma omp for schedule(static)
    for (int i = 0; i < N; ++i) rest(unit / 2);
    line = __LINE__ + 1;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < N; ++i) rest(i == 1 ? 2 * unit : unit / 2);
    ARRIVED;
#pragma omp barrier
#pragma omp masked
    lost += waited(arrival, N);
#pragma omp barrier
  }
  say("imbalance", lost, line);
}

static void healthy_locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  double sum = 0;
#pragma omp parallel num_threads(N)
  for (int i = 0; i < 10; ++i) {
    rest(unit / 2);
    omp_set_lock(&lock);
    sum += i;
    omp_unset_lock(&lock);
  }
  say("none", 0 * sum, 0);
}

/// Each iteration needs one that was done long before.
static void healthy_doacross(void) {
#pragma omp parallel for num_threads(N) ordered(1) schedule(static, 1)
  for (int i = 2 * N; i < 42 * N; ++i) {
    rest(unit / 4);
#pragma omp ordered depend(sink : i - 8)  // 2 * N: GCC takes only a number
    compute(10);
#pragma omp ordered depend(source)
  }
  say("none", 0, 0);
}

static void healthy_dynamic(void) {
#pragma omp parallel for num_threads(N) schedule(dynamic, 1)
  for (int i = 0; i < 60 * N; ++i) rest(i % 7 * unit / 40);
  say("none", 0, 0);
}

static const struct disease diseases[] = {
    {"slow-holder", slow_holder},
    {"nested-lock", nested_lock},
    {"one-lock-of-two", one_lock_of_two},
    {"critical-in-tasks", critical_in_tasks},
    {"doacross-chain", doacross_chain},
    {"doacross-half", doacross_half},
    {"huge-row", huge_row},
    {"triangular-loop", triangular_loop},
    {"long-section", long_section},
    {"single-in-a-loop", single_in_a_loop},
    {"uneven-reduction", uneven_reduction},
    {"second-loop", second_loop},
    {"healthy-locks", healthy_locks},
    {"healthy-doacross", healthy_doacross},
    {"healthy-dynamic", healthy_dynamic},
};

int main(int argc, char** argv) {
  return run_disease(diseases, sizeof diseases / sizeof *diseases, argc, argv);
}
