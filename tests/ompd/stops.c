// SPDX-License-Identifier: BSD-3-Clause
// Comes to rest in the way its argument names, and says as JSON what OMPT knows of each thread then:
// the tool is in the program. "go" on stdin lets it end where that is possible.
#define _GNU_SOURCE
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { max_threads = 64, max_levels = 8 };

struct level {
  int flags, thread_num, team_size;
  unsigned long long data, exit_frame, enter_frame;
};
struct thread {
  pid_t id;
  volatile int answered;
  int state, levels;
  unsigned long long wait_id;
  struct level level[max_levels];
  const void* wait_at;  // codeptr_ra of the last wait that began
};
static struct thread threads[max_threads];
static volatile int count;
static __thread struct thread* self;
static unsigned long long next_id = 100;
static ompt_get_state_t get_state;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static volatile int resting, released;

static void thread_begin(ompt_thread_t type, ompt_data_t* data) {
  (void)type, (void)data;
  self = &threads[__sync_fetch_and_add(&count, 1)];
  self->id = (pid_t)syscall(SYS_gettid);
}
static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned size,
                          unsigned number, int flags) {
  (void)parallel, (void)size, (void)number, (void)flags;
  if (endpoint == ompt_scope_begin) task->value = __sync_fetch_and_add(&next_id, 1);
}
static void task_create(ompt_data_t* from, const ompt_frame_t* frame, ompt_data_t* task, int flags, int dependences,
                        const void* codeptr) {
  (void)from, (void)frame, (void)flags, (void)dependences, (void)codeptr;
  task->value = __sync_fetch_and_add(&next_id, 1);
}
static void mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                          const void* codeptr) {
  (void)kind, (void)hint, (void)implementation, (void)id;
  self->wait_at = codeptr;
}
static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                        ompt_data_t* task, const void* codeptr) {
  (void)kind, (void)parallel, (void)task;
  if (endpoint == ompt_scope_begin) self->wait_at = codeptr;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  set(ompt_callback_thread_begin, (ompt_callback_t)thread_begin);
  set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
  set(ompt_callback_task_create, (ompt_callback_t)task_create);
  set(ompt_callback_mutex_acquire, (ompt_callback_t)mutex_acquire);
  set(ompt_callback_sync_region, (ompt_callback_t)sync_region);
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

// ompt_get_state and ompt_get_task_info may be called in signal handlers.
static void answer(int signal) {
  (void)signal;
  ompt_wait_id_t wait = 0;
  self->state = get_state(&wait);
  self->wait_id = wait;
  int levels = 0;
  for (; levels < max_levels; ++levels) {
    struct level* level = &self->level[levels];
    ompt_data_t *task = NULL, *parallel = NULL;
    ompt_frame_t* frame = NULL;
    if (get_task_info(levels, &level->flags, &task, &frame, &parallel, &level->thread_num) == 0) break;
    level->data = task ? task->value : 0;
    level->exit_frame = frame ? frame->exit_frame.value : 0;
    level->enter_frame = frame ? frame->enter_frame.value : 0;
    level->team_size = 0;
  }
  self->levels = levels;
  for (int i = 0; i < levels; ++i) {
    ompt_data_t* parallel = NULL;
    int size = 0;
    if (get_parallel_info(i, &parallel, &size) == 0) break;
    self->level[i].team_size = size;
  }
  self->answered = 1;
}

static void say(void) {
  printf("{\"threads\": [");
  for (int t = 0; t < count; ++t) {
    const struct thread* thread = &threads[t];
    printf("%s{\"id\": %d, \"state\": %d, \"wait_id\": %llu, \"wait_at\": %llu, \"tasks\": [", t ? ", " : "",
           thread->id, thread->state, thread->wait_id, (unsigned long long)(size_t)thread->wait_at);
    for (int i = 0; i < thread->levels; ++i) {
      const struct level* level = &thread->level[i];
      printf("%s{\"flags\": %d, \"thread\": %d, \"data\": %llu, \"exit\": %llu, \"enter\": %llu, \"size\": %d}",
             i ? ", " : "", level->flags, level->thread_num, level->data, level->exit_frame, level->enter_frame,
             level->team_size);
    }
    printf("]}");
  }
  printf("]}\n");
  fflush(stdout);
}

struct way {
  const char* name;
  void (*function)(void);
  int threads, waiting;  // that come to rest; of them: in a state of waiting (libomp has none for taskwait)
};

static int ask_all(void) {
  int waiting = 0;
  for (int t = 0; t < count; ++t) {
    threads[t].answered = 0;
    syscall(SYS_tgkill, getpid(), threads[t].id, SIGUSR1);
    for (int i = 0; i < 20000 && !threads[t].answered; ++i) usleep(1000);
    waiting += threads[t].state >= ompt_state_wait_barrier && threads[t].state < ompt_state_idle;
  }
  return waiting;
}

// Not an OpenMP thread: waits until all rest, asks them, says it, and waits for the word to go on.
static void* watch(void* argument) {
  const struct way* way = argument;
  while (resting < way->threads) usleep(1000);
  for (int i = 0; i < 600 && ask_all() != way->waiting; ++i) usleep(20000);  // from "about to wait" to waiting
  usleep(300000);
  ask_all();
  usleep(100000);
  say();
  if (getchar() == 'g') released = 1;
  return NULL;
}

static void rest(void) {
  __sync_fetch_and_add(&resting, 1);
}
static void hold(void) {
  rest();
  while (!released) usleep(1000);
}

static void in_barrier(void) {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 1)
      hold();  // line: missing
    else
      rest();
#pragma omp barrier
  }
}

static omp_lock_t first, second;
static void in_deadlock(void) {
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel num_threads(2)
  {
    const int mine = omp_get_thread_num();
    omp_set_lock(mine == 0 ? &first : &second);
#pragma omp barrier
    rest();
    if (mine == 0)
      omp_set_lock(&second);  // line: lock 0
    else
      omp_set_lock(&first);  // line: lock 1
  }
}

static omp_nest_lock_t nest_first, nest_second;
static void in_nest_deadlock(void) {
  omp_init_nest_lock(&nest_first);
  omp_init_nest_lock(&nest_second);
#pragma omp parallel num_threads(2)
  {
    const int mine = omp_get_thread_num();
    omp_set_nest_lock(mine == 0 ? &nest_first : &nest_second);
#pragma omp barrier
    rest();
    omp_set_nest_lock(mine == 0 ? &nest_second : &nest_first);  // line: nest lock
  }
}

static void in_critical(void) {
  static volatile int inside;
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() != 0) {
      while (!inside) usleep(1000);
      rest();
    }
#pragma omp critical(section)
    {
      inside = 1;
      hold();  // line: inside
    }
  }
}

static void in_taskwait(void) {
  static volatile int begun;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp task
    {
      begun = 1;
      hold();  // line: child
    }
    while (!begun) usleep(1000);
    rest();
#pragma omp taskwait
  }
}

static void in_nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  hold();  // line: inner
}

int main(int argc, char** argv) {
  static const struct way ways[] = {
      {"barrier", in_barrier, 3, 2},   {"deadlock", in_deadlock, 2, 2}, {"nest_deadlock", in_nest_deadlock, 2, 2},
      {"critical", in_critical, 3, 2}, {"taskwait", in_taskwait, 2, 0}, {"nested", in_nested, 4, 0}};
  if (argc > 1 && strcmp(argv[1], "unused") == 0) {
    printf("{}\n");
    fflush(stdout);
    pause();
  }
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; ++i) {
    if (strcmp(argv[1], ways[i].name) != 0) continue;
    signal(SIGUSR1, answer);
    pthread_t watcher;
    pthread_create(&watcher, NULL, watch, (void*)&ways[i]);
    ways[i].function();
    printf("done\n");
    return 0;
  }
  return 2;
}
