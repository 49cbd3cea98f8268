// SPDX-License-Identifier: BSD-3-Clause
// Locks, short regions, threads without a processor, runs that are no whole ones - and healthy programs.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "disease.h"

/// Of all threads: what others on the machine take is not in it.
static double processor_time(void) {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static void even_region(void) {
#pragma omp parallel num_threads(N)
  rest(4 * unit);
}

static void critical_long(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N) reduction(+ : lost)
  for (int i = 0; i < 3; ++i) {
    const double asked = now();
    line = __LINE__ + 1;
#pragma omp critical(shared_table)
    {
      lost += now() - asked;
      rest(unit);
    }
    ARRIVED;
  }
  say("contention", lost + waited(arrival, N), line);
}

/// So short that entering it takes the time, and being recorded as much again.
static void critical_fine(void) {
  enum { rounds = 400000 };
  double begin = now(), most = 0;
  for (int i = 0; i < rounds; ++i) compute(20);
  const double work = now() - begin;
  int line = 0;
  begin = now();
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < rounds; ++i) {
    const double x = compute(20) + i;
    line = __LINE__ + 1;
#pragma omp critical(the_most)
    if (x > most) most = x;
  }
  say("contention", 2 * (now() - begin) - work, line);
}

#if _OPENMP >= 202011 || !defined(__clang__)  // older runtimes of clang do not tell how they schedule a loop
/// An iteration at a time, each of which takes less than being handed out.
static void small_chunks(void) {
  enum { rounds = 2000000 };
  double begin = processor_time();
  for (int i = 0; i < rounds; ++i) compute(2);
  const double work = processor_time() - begin;
  begin = processor_time();
  const int line = __LINE__ + 1;
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < rounds; ++i) compute(2);
  say("small-chunks", processor_time() - begin - work, line);
}
#endif

static void lock_contended(void) {
  double lost = 0;
  int line = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(N) reduction(+ : lost)
  for (int i = 0; i < 3; ++i) {
    const double asked = now();
    line = __LINE__ + 1;
    omp_set_lock(&lock);
    lost += now() - asked;
    rest(unit);
    omp_unset_lock(&lock);
    ARRIVED;
  }
  omp_destroy_lock(&lock);
  say("contention", lost + waited(arrival, N), line);
}

static void ordered_loop(void) {
  double lost = 0;
  int line = 0;
#pragma omp parallel num_threads(N) reduction(+ : lost)
#pragma omp for ordered schedule(static, 1)
  for (int i = 0; i < 3 * N; ++i) {
    const double asked = now();
    line = __LINE__ + 1;
#pragma omp ordered
    {
      lost += now() - asked;
      rest(unit);
    }
    ARRIVED;
  }
  say("ordered", lost + waited(arrival, N), line);
}

static void short_regions(void) {
  enum { regions = 20000 };
  double begin = now();
  for (int i = 0; i < regions; ++i) compute(2 * 100);
  const double work = now() - begin;
  begin = now();
  const int line = __LINE__ + 2;
  for (int i = 0; i < regions; ++i)
#pragma omp parallel num_threads(2)
    compute(100);
  say("short-regions", 2 * (now() - begin) - work, line);
}

static void frequent_barriers(void) {
  enum { rounds = 20000 };
  double begin = now();
  for (int i = 0; i < rounds; ++i) compute(2 * 100);
  const double work = now() - begin;
  int line = 0;
  begin = now();
#pragma omp parallel num_threads(2)
  for (int i = 0; i < rounds; ++i) {
    compute(100);
    line = __LINE__ + 1;
#pragma omp barrier
  }
  say("frequent-barriers", 2 * (now() - begin) - work, line);
}

static pthread_t worker[N];
static void hold_up(int signal) {
  (void)signal;
  rest(2 * unit);
}

/// Workers that sleep between regions are held up when they should wake.
static void late_workers(void) {
  double lost = 0;
  int line = 0;
  signal(SIGUSR1, hold_up);
  even_region();
#pragma omp parallel num_threads(N)
  {
    worker[omp_get_thread_num()] = pthread_self();
    rest(unit);
  }
  for (int round = 0; round < 3; ++round) {
    rest(unit / 4);  // until they sleep
    for (int i = 1; i < N; ++i) pthread_kill(worker[i], SIGUSR1);
    rest(unit / 4);
    const double begin = now();
    line = __LINE__ + 1;
#pragma omp parallel num_threads(N) reduction(+ : lost)
    {
      lost += now() - begin;
      rest(unit);
    }
  }
  say("late-threads", lost, line);
}

static void oversubscribed(void) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  const int threads = 4 * CPU_COUNT(&set);
  struct timespec before[64], after[64];
  double begin = 0;
#pragma omp parallel num_threads(threads > 64 ? 64 : threads)
  {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before[omp_get_thread_num()]);
#pragma omp barrier
#pragma omp masked
    begin = now();
    for (int i = 0; i < 40; ++i) compute(100000);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after[omp_get_thread_num()]);
    ARRIVED;
  }
  double lost = 0;
  for (int i = 0; i < threads && i < 64; ++i)
    lost += arrival[i] - begin - (double)(after[i].tv_sec - before[i].tv_sec) -
            (double)(after[i].tv_nsec - before[i].tv_nsec) * 1e-9;
  say("oversubscription", lost, 0);
}

static void false_sharing(void) {
  static _Atomic long counters[N];
#pragma omp parallel num_threads(2)
  {
    rest(8 * unit);
    for (int i = 0; i < 200000; ++i)
      atomic_fetch_add_explicit(&counters[omp_get_thread_num()], 1, memory_order_relaxed);
    rest(8 * unit);
  }
  say("none", 0, 0);
}

static void healthy_loop(void) {
#pragma omp parallel for num_threads(N) schedule(static)
  for (int i = 0; i < 4 * N; ++i) rest(5 * unit);
  say("none", 0, 0);
}

static void healthy_reduction(void) {
  double sum = 0;
#pragma omp parallel for num_threads(N) reduction(+ : sum)
  for (int i = 0; i < N; ++i) {
    rest(20 * unit);
    sum += i;
  }
  say("none", sum * 0, 0);
}

static void healthy_regions(void) {
  for (int i = 0; i < 6; ++i)
#pragma omp parallel num_threads(N)
    rest(4 * unit);
  say("none", 0, 0);
}

static void first_touch(void) {
  const size_t size = (size_t)8 << 20;
  char* memory = malloc(size);
#pragma omp parallel num_threads(2)
  {
    rest(9 * unit);
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
    rest(9 * unit);
  }
  say("none", memory[0] * 0.0, 0);
  free(memory);
}

static void critical_free(void) {
  double sum = 0;
#pragma omp parallel num_threads(N)
  for (int i = 0; i < 5; ++i) {
    rest((4 + omp_get_thread_num() * 0.01) * unit);
#pragma omp critical
    sum += 1;
  }
  say("none", sum * 0, 0);
}

/// Recorded every few nanoseconds, and nobody waits for anybody.
static void locks_of_their_own(void) {
#pragma omp parallel num_threads(2)
  {
    omp_lock_t mine;
    omp_init_lock(&mine);
    for (int i = 0; i < 400000; ++i) {
      omp_set_lock(&mine);
      compute(10);
      omp_unset_lock(&mine);
    }
    omp_destroy_lock(&mine);
  }
  say("none", 0, 0);
}

static void killed(void) {
  say("state:killed", 0, 0);
  fflush(stdout);
#pragma omp parallel num_threads(N)
  {
    rest(omp_get_thread_num() == 0 ? 6 * unit : unit);
#pragma omp barrier
#pragma omp masked
    raise(SIGKILL);
#pragma omp barrier
  }
}

static void too_short(void) {
#pragma omp parallel num_threads(2)
  rest(omp_get_thread_num() * 0.001);
  say("state:too short", 0, 0);
}

static const struct disease diseases[] = {
    {"critical", critical_long},
    {"critical-fine", critical_fine},
#if _OPENMP >= 202011 || !defined(__clang__)
    {"small-chunks", small_chunks},
#endif
    {"lock", lock_contended},
    {"ordered", ordered_loop},
    {"short-regions", short_regions},
    {"frequent-barriers", frequent_barriers},
    {"late-workers", late_workers},
    {"oversubscribed", oversubscribed},
    {"false-sharing", false_sharing},
    {"healthy-loop", healthy_loop},
    {"healthy-reduction", healthy_reduction},
    {"healthy-regions", healthy_regions},
    {"first-touch", first_touch},
    {"critical-free", critical_free},
    {"own-locks", locks_of_their_own},
    {"killed", killed},
    {"too-short", too_short},
};

int main(int argc, char** argv) {
  return run_disease(diseases, sizeof diseases / sizeof *diseases, argc, argv);
}
