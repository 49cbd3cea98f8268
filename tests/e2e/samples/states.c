// SPDX-License-Identifier: BSD-3-Clause
// A program that is its own tool, with the tracer behind it: what the runtime answers when it is asked for the state is
// noted on the way, in the same signal:
//   asked TID STATE WAIT     in each thread's order
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most = 20000, threads = 3 };
struct answer {
  long thread;
  int state;
  ompt_wait_id_t wait;
};
static struct answer answers[threads * most];
static int answered, lock_waits;
static ompt_get_state_t real_get_state;
static ompt_function_lookup_t real_lookup;
static ompt_start_tool_result_t* behind;
static ompt_start_tool_result_t result;

static int get_state(ompt_wait_id_t* wait) {
  const int state = real_get_state(wait);
  const int at = __atomic_fetch_add(&answered, 1, __ATOMIC_RELAXED);
  if (at < threads * most) answers[at] = (struct answer){syscall(SYS_gettid), state, *wait};
  if (state == ompt_state_wait_lock) __atomic_fetch_add(&lock_waits, 1, __ATOMIC_RELAXED);
  return state;
}

static ompt_interface_fn_t lookup(const char* name) {
  const ompt_interface_fn_t found = real_lookup(name);
  int same = 1;
  for (int i = 0; same && (name[i] != 0 || "ompt_get_state"[i] != 0); ++i) same = name[i] == "ompt_get_state"[i];
  if (!same || found == NULL) return found;
  real_get_state = (ompt_get_state_t)found;
  return (ompt_interface_fn_t)get_state;
}

static int initialize(ompt_function_lookup_t given, int device, ompt_data_t* data) {
  (void)data;
  real_lookup = given;
  return behind->initialize(lookup, device, &behind->tool_data);
}

static void finalize(ompt_data_t* data) {
  (void)data;
  behind->finalize(&behind->tool_data);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(unsigned version,
                                                                                 const char* runtime) {
  void* tracer = dlopen(getenv("TRACER_TEST_TOOL"), RTLD_NOW);
  if (tracer == NULL) return NULL;
  ompt_start_tool_result_t* (*start)(unsigned, const char*) =
      (ompt_start_tool_result_t * (*)(unsigned, const char*)) dlsym(tracer, "ompt_start_tool");
  behind = start != NULL ? start(version, runtime) : NULL;
  if (behind == NULL) return NULL;
  result.initialize = initialize;
  result.finalize = finalize;
  return &result;
}

static double burn(long long ns) {
  struct timespec t;
  volatile double x = 1;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const long long end = t.tv_sec * 1000000000LL + t.tv_nsec + ns;
  do {
    for (int i = 0; i < 20000; ++i) x = x * 0.5 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
  return x;
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  double sum = burn(20000000);
  int goes_on = 1;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    // Who waits for a lock spends its time yielding, in the kernel where nobody samples: until there are enough.
    for (int round = 0; goes_on; ++round) {
      omp_set_lock(&lock);
      sum += burn(20000000);
      omp_unset_lock(&lock);
#pragma omp barrier
      if (omp_get_thread_num() == 0) {
        sum += burn(20000000);
        goes_on = round < 4 || (round < 600 && __atomic_load_n(&lock_waits, __ATOMIC_RELAXED) < 30);
      }
#pragma omp barrier
    }
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task
      burn(10000000);
    }
  }
  const int count = answered < threads * most ? answered : threads * most;
  for (int i = 0; i < count; ++i)
    printf("asked %ld %d %lu\n", answers[i].thread, answers[i].state, (unsigned long)answers[i].wait);
  return sum > 0 ? 0 : 1;
}
