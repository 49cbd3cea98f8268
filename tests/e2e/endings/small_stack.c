// SPDX-License-Identifier: BSD-3-Clause
// Calls exit(8) where there is little stack: small_stack thread|worker|signal BYTES.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void region(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    {}
  }
}

static void* leave(void* nothing) {
  (void)nothing;
  exit(8);
}

static void on_signal(int number) {
  (void)number;
  exit(8);
}

static void in_thread(size_t bytes) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  if (pthread_create(&thread, &attributes, leave, NULL) == 0) pthread_join(thread, NULL);
}

// Of a worker of the runtime: OMP_STACKSIZE says how much it has.
static void in_worker(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) exit(8);
#pragma omp barrier
  }
}

static void in_signal(size_t bytes) {
  stack_t stack = {.ss_sp = malloc(bytes), .ss_size = bytes};
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const size_t bytes = (size_t)atoi(argv[2]);
  if (strcmp(argv[1], "worker") == 0) {
    char text[32];
    snprintf(text, sizeof text, "%zuB", bytes);
    setenv("OMP_STACKSIZE", text, 1);  // before the first call of OpenMP
  }
  region();
  puts("leaving");
  fflush(stdout);
  if (strcmp(argv[1], "thread") == 0) in_thread(bytes);
  if (strcmp(argv[1], "worker") == 0) in_worker();
  if (strcmp(argv[1], "signal") == 0) in_signal(bytes);
  return 2;
}
