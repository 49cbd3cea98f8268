// SPDX-License-Identifier: BSD-3-Clause
// Closes the descriptors that it does not know, as daemons do, and opens files of its own: they must still be its own
// when its threads, and then the program, end. Before that it counts what is open besides the three standard ones.
// Status 5, and "open 0, mine ok".
#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { threads = 4, files = 40, most = 4096 };
static pthread_barrier_t begun, done;

static void burn(long long ns) {
  struct timespec t;
  volatile double x = 1;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const long long end = t.tv_sec * 1000000000LL + t.tv_nsec + ns;
  do {
    for (int i = 0; i < 20000; ++i) x = x * 0.5 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
}

static void* work(void* unused) {
#pragma omp parallel num_threads(1)
  burn(20000000);
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&done);
  return unused;
}

/// Of perf events only: journal, trace and rings are the tool's for the whole run.
static int open_events(void) {
  int found = 0;
  DIR* list = opendir("/proc/self/fd");
  for (const struct dirent* entry; list != NULL && (entry = readdir(list)) != NULL;) {
    char path[64], to[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%.20s", entry->d_name);
    if (readlink(path, to, sizeof to - 1) > 0) found += to[0] == 'a' && to[11] == '[' && to[12] == 'p';
  }
  closedir(list);
  return found;
}

int main(void) {
  pthread_t all[threads];
  int file[files], gone = 0;
  char byte = 0;
  pthread_barrier_init(&begun, NULL, threads + 1);
  pthread_barrier_init(&done, NULL, threads + 1);
  for (int i = 0; i < threads; ++i) pthread_create(&all[i], NULL, work, NULL);
  pthread_barrier_wait(&begun);
  const int events = open_events();
  for (int i = 3; i < most; ++i) close(i);
  for (int i = 0; i < files; ++i) file[i] = open("/dev/zero", O_RDWR);
  for (int i = 0; i < files; ++i)  // and where the tool's own were
    if (dup2(file[i], 400 + i) != 400 + i) return 1;
  pthread_barrier_wait(&done);
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  const struct timespec until_it_was_drained = {0, 300000000};
  nanosleep(&until_it_was_drained, NULL);
  for (int i = 0; i < files; ++i) gone += (read(file[i], &byte, 1) != 1) + (read(400 + i, &byte, 1) != 1);
  printf("open %d, mine %s\n", events, gone != 0 ? "GONE" : "ok");
  return 5;
}
