// SPDX-License-Identifier: BSD-3-Clause
// A thread forks without end while the OpenMP runtime starts, and the tool with it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int forked, is_over;

static void* forks(void* unused) {
  while (!is_over) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0 || waitpid(child, NULL, 0) != child) abort();
    ++forked;
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, forks, NULL) != 0) return 1;
  while (forked < 20) usleep(100);
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 100; ++i) sum += i;
  const int before = forked;
  while (forked < before + 5) usleep(100);
  is_over = 1;
  pthread_join(thread, NULL);
  printf("sum %d\n", sum);
  return sum == 4950 ? 0 : 1;
}
