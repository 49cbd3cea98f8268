// SPDX-License-Identifier: BSD-3-Clause
// What signals of a tool must not disturb: errno, system calls that wait, masks, the program's own handlers. Says what
// it sees; status 0 when all is as without.
//   manners own      has a handler of its own for SIGURG before the runtime starts
//   manners later    sets one in the middle
//   manners default  sets every signal to its default in the middle
#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t own_signals;
static void own_handler(int signal) {
  (void)signal;
  own_signals = own_signals + 1;
}

static int wrong;
static void need(int holds, const char* what) {
  if (!holds) {
    printf("wrong: %s\n", what);
    ++wrong;
  }
}

static void burn(long long ns) {
  struct timespec t;
  volatile double x = 1;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const long long end = t.tv_sec * 1000000000LL + t.tv_nsec + ns;
  errno = 12345;
  do {
    for (int i = 0; i < 20000; ++i) x = x * 0.5 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (t.tv_sec * 1000000000LL + t.tv_nsec < end);
  need(errno == 12345, "errno is as it was");
}

static int pipe_ends[2];
static void* reader(void* unused) {
  (void)unused;
#pragma omp parallel num_threads(1)
  burn(20000000);
  char byte = 0;
  need(read(pipe_ends[0], &byte, 1) == 1 && byte == 'x', "a read that waits is not interrupted");
  return NULL;
}

static void* blocked(void* unused) {
  (void)unused;
  sigset_t all, now;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
#pragma omp parallel num_threads(1)
  burn(50000000);
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  need(sigismember(&now, SIGURG) == 1 && sigismember(&now, SIGRTMAX) == 1, "a thread's mask is as it was");
  sigemptyset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  burn(10000000);
  return NULL;
}

// libomp starts, and the tool with it, at the entry of a function with regions.
__attribute__((constructor)) static void before_the_runtime(int argc, char** argv) {
  struct sigaction own;
  memset(&own, 0, sizeof own);
  own.sa_handler = own_handler;
  if (argc > 1 && strcmp(argv[1], "own") == 0) sigaction(SIGURG, &own, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  struct sigaction own;
  memset(&own, 0, sizeof own);
  own.sa_handler = own_handler;
#pragma omp parallel num_threads(2)
  burn(50000000);
  pthread_t threads[2];
  need(pipe(pipe_ends) == 0, "a pipe");
  pthread_create(&threads[0], NULL, reader, NULL);
  pthread_create(&threads[1], NULL, blocked, NULL);
  burn(100000000);
  struct timespec wait = {0, 200000000};
  need(nanosleep(&wait, NULL) == 0, "a sleep is not interrupted");
  need(write(pipe_ends[1], "x", 1) == 1, "a write");
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  if (strcmp(how, "own") == 0) {
    need(own_signals == 0, "the program's own handler is not called for nothing");
    kill(getpid(), SIGURG);
    need(own_signals == 1, "the program's own handler is called");
  } else {
    kill(getpid(), SIGURG);  // is ignored by default
  }
  if (strcmp(how, "later") == 0) sigaction(SIGURG, &own, NULL);
  if (strcmp(how, "default") == 0)
    for (int s = 1; s <= SIGRTMAX; ++s) signal(s, SIG_DFL);
  if (strcmp(how, "later") == 0 || strcmp(how, "default") == 0) {
    struct timespec until_it_is_seen = {0, 500000000};
    burn(100000000);
    while (nanosleep(&until_it_is_seen, &until_it_is_seen) != 0) continue;
    const int before = own_signals;
    burn(300000000);
    need(own_signals == before, "the program's own handler is left alone");
  }
  printf("%s: %d wrong\n", how, wrong);
  return wrong == 0 ? 0 : 1;
}
