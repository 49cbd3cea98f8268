// SPDX-License-Identifier: BSD-3-Clause
// A thread that is bound to a processor fills its ring: the drainer's thread keeps off that processor, and the
// program's threads keep the processors that they had, also those that are made meanwhile.
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int drainer(void) {
  DIR* tasks = opendir("/proc/self/task");
  int found = 0;
  for (struct dirent* entry; tasks != NULL && found == 0 && (entry = readdir(tasks)) != NULL;) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
    FILE* file = fopen(path, "r");
    if (file == NULL) continue;
    if (fgets(name, sizeof name, file) != NULL && strcmp(name, "tracer-drain\n") == 0) found = atoi(entry->d_name);
    fclose(file);
  }
  if (tasks != NULL) closedir(tasks);
  return found;
}

static cpu_set_t of(int thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(thread, sizeof set, &set);
  return set;
}

static void* look(void* at) {
  *(cpu_set_t*)at = of(0);
  return NULL;
}

static int new_threads_have(const cpu_set_t* expected) {
  cpu_set_t seen;
  pthread_t thread;
  if (pthread_create(&thread, NULL, look, &seen) != 0) return 0;
  pthread_join(thread, NULL);
  return CPU_EQUAL(&seen, expected);
}

static void fill(void) {
  static omp_lock_t lock;
  omp_init_lock(&lock);
  for (int i = 0; i < 100000; ++i) {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

int main(void) {
  int bad = 0;
#pragma omp parallel num_threads(1)
  {
    const cpu_set_t all = of(0);
    int thread = drainer();
    for (int i = 0; i < 1000 && thread == 0; ++i) {  // it gives itself the name
      usleep(10000);
      thread = drainer();
    }
    cpu_set_t mine;
    CPU_ZERO(&mine);
    for (int i = 0; CPU_COUNT(&mine) == 0; ++i)
      if (CPU_ISSET(i, &all)) CPU_SET(i, &mine);
    if (CPU_COUNT(&all) < 2) {
      printf("skipped: one processor\n");
      exit(77);
    }
    sched_setaffinity(0, sizeof mine, &mine);
    cpu_set_t both = all;
    const double limit = omp_get_wtime() + 60;
    while (thread != 0 && omp_get_wtime() < limit) {
      fill();
      const cpu_set_t its = of(thread);
      CPU_AND(&both, &its, &mine);
      if (CPU_COUNT(&both) == 0) break;
    }
    if (thread == 0) bad |= printf("no thread drains\n");
    if (CPU_COUNT(&both) != 0) bad |= printf("the drainer may run where the thread is that fills the ring\n");
    const cpu_set_t now = of(0);
    if (!CPU_EQUAL(&now, &mine)) bad |= printf("the thread's own processors have changed\n");
    if (!new_threads_have(&mine)) bad |= printf("a new thread has other processors than its maker\n");
    sched_setaffinity(0, sizeof all, &all);
    if (!new_threads_have(&all)) bad |= printf("a new thread has not all processors again\n");
  }
  return bad != 0;
}
