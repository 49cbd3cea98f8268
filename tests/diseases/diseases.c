// SPDX-License-Identifier: BSD-3-Clause
// Programs of known disease: `diseases NAME` has that one, and prints what an expert would say of it: the finding, the
// thread-seconds lost to it by the program's own clock, and the line. "none": healthy, nothing may be found. Work is
// made of sleeps wherever the disease allows it, so that four threads need no four processors and a loaded machine does
// not matter.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { N = 4 };
static const double unit = 0.04;  // seconds

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/// Of all threads: what others on the machine take is not in it.
static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rest(double seconds) {
  const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

/// Some of the program's own work that the compiler keeps.
static double compute(long steps) {
  volatile double x = 1;
  for (long i = 0; i < steps; ++i) x = x * 1.0000001 + 1e-9;
  return x;
}

static void say(const char* finding, double lost, int line) {
  printf("%s %.6f %d\n", finding, lost, line);
}

/// What the others waited for the last one.
static double waited(const double* arrival, int threads) {
  double last = 0, sum = 0;
  for (int i = 0; i < threads; ++i) last = arrival[i] > last ? arrival[i] : last;
  for (int i = 0; i < threads; ++i) sum += last - arrival[i];
  return sum;
}

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

static double arrival[64];
#define ARRIVED (arrival[omp_get_thread_num()] = now())
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
  }
  say("contention", lost, line);
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

#if _OPENMP >= 202011  // older runtimes do not tell how they schedule a loop
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
  }
  omp_destroy_lock(&lock);
  say("contention", lost, line);
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
  }
  say("ordered", lost, line);
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

static void healthy_tasks(void) {
#pragma omp parallel num_threads(N)
#pragma omp single nowait
  for (int i = 0; i < 20 * N; ++i) {
#pragma omp task
    rest(unit);
  }
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

static const struct {
  const char* name;
  void (*run)(void);
} diseases[] = {
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
    {"critical", critical_long},
    {"critical-fine", critical_fine},
#if _OPENMP >= 202011
    {"small-chunks", small_chunks},
#endif
    {"lock", lock_contended},
    {"ordered", ordered_loop},
    {"few-tasks", too_few_tasks},
    {"long-last-task", long_last_task},
    {"task-chain", chain_of_tasks},
    {"slow-producer", slow_producer},
    {"tied-wait", tied_wait},
    {"recursive-tasks", recursive_tasks},
    {"flat-tasks", flat_tasks},
    {"short-regions", short_regions},
    {"frequent-barriers", frequent_barriers},
    {"late-workers", late_workers},
    {"oversubscribed", oversubscribed},
    {"false-sharing", false_sharing},
    {"healthy-loop", healthy_loop},
    {"healthy-tasks", healthy_tasks},
    {"healthy-reduction", healthy_reduction},
    {"healthy-regions", healthy_regions},
    {"first-touch", first_touch},
    {"critical-free", critical_free},
    {"own-locks", locks_of_their_own},
    {"killed", killed},
    {"too-short", too_short},
};

int main(int argc, char** argv) {
  for (size_t i = 0; i < sizeof diseases / sizeof *diseases; ++i) {
    if (argc < 2) {
      puts(diseases[i].name);
    } else if (strcmp(argv[1], diseases[i].name) == 0) {
      diseases[i].run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
