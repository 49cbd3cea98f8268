// SPDX-License-Identifier: BSD-3-Clause
// main ends by pthread_exit where the runtime has no workers: the process ends with its last thread, and its atexit
// handlers run. `outlived`: another thread of the program's outlives main. `no_descriptor`: none can be opened from
// before main's end until the handlers.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static struct rlimit files;

static void say(void) {
  char room[2 << 20];  // handlers may count on a stack of the usual size
  room[0] = 'b';
  printf("%cye\n", *(volatile char*)room);
  if (files.rlim_max != 0) setrlimit(RLIMIT_NOFILE, &files);
}

static void* end(void* nothing) {
  pthread_exit(nothing);
}

/// The C library opens libgcc_s at the first pthread_exit, and needs a descriptor for it.
static void take_descriptors(void) {
  pthread_t first;
  if (pthread_create(&first, NULL, end, NULL) != 0 || pthread_join(first, NULL) != 0) abort();
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) abort();
  const struct rlimit none = {0, files.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) abort();
}

static void* outlive(void* nothing) {
  const struct timespec moment = {0, 300000000};
  nanosleep(&moment, NULL);
  puts("the last thread");
  return nothing;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  atexit(say);
  int sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  sum += 1;
  printf("sum %d\n", sum);
  pthread_t thread;
  if (strcmp(how, "outlived") == 0 && pthread_create(&thread, NULL, outlive, NULL) == 0) pthread_detach(thread);
  if (strcmp(how, "no_descriptor") == 0) take_descriptors();
  pthread_exit(NULL);
}
