// SPDX-License-Identifier: BSD-3-Clause
// main ends by pthread_exit where the runtime has no workers: the process ends with its last thread, and its atexit
// handlers run. With an argument another thread of the program's outlives main.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void say(void) {
  char room[2 << 20];  // handlers may count on a stack of the usual size
  room[0] = 'b';
  printf("%cye\n", *(volatile char*)room);
}

static void* outlive(void* nothing) {
  const struct timespec moment = {0, 300000000};
  nanosleep(&moment, NULL);
  puts("the last thread");
  return nothing;
}

int main(int argc, char** argv) {
  (void)argv;
  atexit(say);
  int sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  sum += 1;
  printf("sum %d\n", sum);
  pthread_t thread;
  if (argc > 1 && pthread_create(&thread, NULL, outlive, NULL) == 0) pthread_detach(thread);
  pthread_exit(NULL);
}
