// SPDX-License-Identifier: BSD-3-Clause
// hung_then_exit HOW: two threads deadlock in two locks; the program's own watchdog ends it after 3 s, by _exit(3), by
// SIGKILL, or the threads come out of it in time ("whole") and main ends by _exit(0).
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t a, b;
static const char* how;

static void* dog(void* unused) {
  sleep(3);
  if (strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  _exit(3);
  return unused;
}

int main(int count, char** words) {
  pthread_t thread;
  how = count > 1 ? words[1] : "exit";
  omp_init_lock(&a);
  omp_init_lock(&b);
  pthread_create(&thread, 0, dog, 0);
#pragma omp parallel num_threads(2)
  {
    usleep(200000);
    const int is_second = omp_get_thread_num() != 0 && strcmp(how, "whole") != 0;
    omp_set_lock(is_second ? &b : &a);
    usleep(50000);
    omp_set_lock(is_second ? &a : &b);
    omp_unset_lock(&a);
    omp_unset_lock(&b);
  }
  usleep(100000);
  _exit(0);
}
