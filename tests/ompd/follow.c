// SPDX-License-Identifier: BSD-3-Clause
// Works when told to ("ROUNDS" on stdin) and says as JSON what OMPT counted in those rounds: the tool is
// in the program. "fork" runs a round in a child process; "copy" and "share" make a child by clone(2), with memory of
// its own and without a signal at its end, or with the program's; "flood" makes empty tasks until the next line comes;
// "exec" goes on as another program, from a thread; an empty line ends it.
#define _GNU_SOURCE
#include <omp-tools.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { tasks_per_round = 6 };
static volatile long counted[6];  // parallel begin, end; task begin, end; thread begin, end
static long sum;

static void count(int what) {
  __sync_fetch_and_add(&counted[what], 1);
}
static void parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned requested,
                           int flags, const void* codeptr) {
  (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)codeptr;
  count(0);
}
static void parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* codeptr) {
  (void)parallel, (void)task, (void)flags, (void)codeptr;
  count(1);
}
static void task_create(ompt_data_t* from, const ompt_frame_t* frame, ompt_data_t* task, int flags, int dependences,
                        const void* codeptr) {
  (void)from, (void)frame, (void)flags, (void)dependences, (void)codeptr;
  task->value = 1;  // created, not begun
}
static void task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  if (status == ompt_task_complete && prior && prior->value == 2) count(3);
  if (next && next->value == 1) {
    next->value = 2;
    count(2);
  }
}
static void thread_begin(ompt_thread_t type, ompt_data_t* data) {
  (void)type, (void)data, count(4);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)parallel_end);
  set(ompt_callback_task_create, (ompt_callback_t)task_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)task_schedule);
  set(ompt_callback_thread_begin, (ompt_callback_t)thread_begin);
  return 1;
}
static void finalize(ompt_data_t* data) {
  (void)data;
}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

static void round_of(int threads) {
#pragma omp parallel num_threads(threads) reduction(+ : sum)  // line: region
  {
    sum += 1;
#pragma omp single
    for (int i = 0; i < tasks_per_round; ++i) {
#pragma omp task  // line: task
      usleep(20);
    }
  }
}

static void flood(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
#pragma omp parallel num_threads(4)
#pragma omp single
  while (poll(&input, 1, 0) == 0) {
    for (int i = 0; i < 1000; ++i) {
#pragma omp task
      {}
    }
  }
}

static void* become_another(void* program) {
  char* words[] = {program, NULL};
  execv(program, words);
  return NULL;
}

static int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, __WALL);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int end_with_7(void* unused) {
  (void)unused;
  return 7;
}

static int in_clone(int flags) {
  static char stack[1 << 16] __attribute__((aligned(16)));
  return status_of(clone(end_with_7, stack + sizeof stack, flags, NULL));
}

static int in_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    round_of(3);
    _exit(7);
  }
  return status_of(child);
}

int main(void) {
  char line[64];
  round_of(3);  // the runtime is there
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) && line[0] != '\n') {
    if (strncmp(line, "fork", 4) == 0) {
      printf("%d\n", in_child());
      fflush(stdout);
      continue;
    }
    if (strncmp(line, "copy", 4) == 0 || strncmp(line, "share", 5) == 0) {
      printf("%d\n", in_clone(line[0] == 'c' ? 0 : CLONE_VM | SIGCHLD));
      fflush(stdout);
      continue;
    }
    if (strncmp(line, "exec", 4) == 0) {
      pthread_t thread;
      if (pthread_create(&thread, NULL, become_another, "/bin/true") == 0) pthread_join(thread, NULL);
      return 1;
    }
    if (strncmp(line, "flood", 5) == 0) {
      flood();
      continue;
    }
    long before[6];
    for (int i = 0; i < 6; ++i) before[i] = counted[i];
    const long sum_before = sum;
    const int rounds = atoi(line);
    for (int i = 0; i < rounds; ++i) round_of(i % 2 ? 3 : 4);
    usleep(50000);  // the workers' last callbacks
    printf("{\"parallel\": [%ld, %ld], \"task\": [%ld, %ld], \"thread\": [%ld, 0], \"sum\": %ld}\n",
           counted[0] - before[0], counted[1] - before[1], counted[2] - before[2], counted[3] - before[3],
           counted[4] - before[4], sum - sum_before);
    fflush(stdout);
  }
  printf("sum %ld\n", sum);
  return 0;
}
