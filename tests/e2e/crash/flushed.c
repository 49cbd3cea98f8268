// SPDX-License-Identifier: BSD-3-Clause
// Regions with loops, tasks and critical sections; a flight recorder is told to write what it has in between.
//   flushed ROUNDS signal|handler|once|outside|inside
// Of a signal: the program has no handler for it, one that looks at all it is given, or one that is called once. Status
// 3 when its handler was not called as often, or not as it should be.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long sum;

static volatile sig_atomic_t calls, wrong_calls;
static void look(int signal, siginfo_t* info, void* context) {
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  const int has_mask = sigismember(&blocked, SIGUSR2) == 1 && sigismember(&blocked, SIGUSR1) == 0;
  if (signal != SIGUSR1 || info->si_pid != getpid() || context == NULL || !has_mask) wrong_calls = wrong_calls + 1;
  calls = calls + 1;
}
static void count(int signal) {
  (void)signal;
  calls = calls + 1;
}

static void handle(int all_is_looked_at) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  if (all_is_looked_at) {
    action.sa_sigaction = look;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    sigaddset(&action.sa_mask, SIGUSR2);
  } else {
    action.sa_handler = count;
    action.sa_flags = SA_RESETHAND;
  }
  sigaction(SIGUSR1, &action, NULL);
}

static void region(int flush_inside) {
  long mine = 0;
#pragma omp parallel num_threads(4) reduction(+ : mine)
  {
#pragma omp for schedule(monotonic : dynamic, 16)
    for (int i = 0; i < 2000; ++i) mine += i & 1;
#pragma omp single
    for (int task = 0; task < 200; ++task) {
#pragma omp task
      { __asm__ volatile("" : : "r"(task)); }
    }
#pragma omp taskwait
#pragma omp barrier
    for (int k = 0; k < 300; ++k) {
#pragma omp critical(one_at_a_time)
      mine += 1;
    }
    if (flush_inside) {
#pragma omp barrier
#pragma omp masked
      omp_control_tool(omp_control_tool_flush, 0, NULL);
    }
  }
  sum += mine;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 60;
  const char* how = argc > 2 ? argv[2] : "signal";
  const int is_handled = strcmp(how, "handler") == 0, is_once = strcmp(how, "once") == 0;
  const int by_signal = is_handled || is_once || strcmp(how, "signal") == 0;
  int sent = 0;
  alarm(120);
  if (is_handled || is_once) handle(is_handled);
  for (int round = 0; round < rounds; ++round) {
    const int now = round % 10 == 5;
    region(now && strcmp(how, "inside") == 0);
    if (now && by_signal) {
      kill(getpid(), SIGUSR1);
      ++sent;
    }
    if (now && strcmp(how, "outside") == 0) omp_control_tool(omp_control_tool_flush, 0, NULL);
  }
  printf("sum %ld\n", sum);
  const int expected = is_handled ? sent : is_once ? 1 : 0;
  return calls == expected && wrong_calls == 0 ? 0 : 3;
}
