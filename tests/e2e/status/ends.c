// SPDX-License-Identifier: BSD-3-Clause
// Ends as it is asked to, after a parallel region. Says "sum 2" before.
//   ends status N          by exit(N)
//   ends signal N          by that signal
//   ends children K        after K children, each killed with its region begun some tenths of a millisecond later than
//   the
//                          one before: the last after 30 ms; status 0
//   ends spoils            after it has put a directory where the archive's anchor goes; status 4
//   ends regions N       after N regions of one thread; status 6
//   ends long N            after N barriers; status 6
//   ends waits N           when signal N has come once; status 9
//   ends group N           after it has sent signal N to its group, itself included; status 9 if it came once
#define _GNU_SOURCE
#include <limits.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void count(int signal) {
  (void)signal;
  came = came + 1;
}

static int region(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 1;
  return sum;
}

static void wait_ns(long ns) {
  struct timespec left = {0, ns};
  while (nanosleep(&left, &left) != 0) continue;
}

static void child_that_is_killed(long after_ns) {
  const pid_t child = fork();
  if (child == 0) {
    const pid_t killer = fork();
    if (killer == 0) {
      wait_ns(after_ns);
      kill(getppid(), SIGKILL);
      _exit(0);
    }
    for (;;) region();
  }
  int status = 0;
  waitpid(child, &status, 0);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "status";
  const int n = argc > 2 ? atoi(argv[2]) : 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count;
  const int to_group = strcmp(how, "group") == 0, waits = to_group || strcmp(how, "waits") == 0;
  if (waits) sigaction(n, &action, NULL);
  if (strcmp(how, "children") != 0) printf("sum %d\n", region());
  if (strcmp(how, "children") == 0) {
    for (int k = 0; k < n; ++k) child_that_is_killed(30000000L * k / n);
    printf("sum %d\n", region());
    n > 0 ? exit(0) : exit(1);
  }
  fflush(stdout);
  if (strcmp(how, "signal") == 0) {
    signal(n, SIG_DFL);
    raise(n);
  }
  if (strcmp(how, "spoils") == 0) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/traces.otf2", argv[2]);
    return mkdir(path, 0700) == 0 ? 4 : 5;
  }
  if (strcmp(how, "regions") == 0) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
#pragma omp parallel num_threads(1)
      sum += 1;
    }
    return sum == n ? 6 : 7;
  }
  if (strcmp(how, "long") == 0) {
    int sum = 0;
#pragma omp parallel num_threads(1)
    for (int i = 0; i < n; ++i) {
#pragma omp critical
      sum += 1;
    }
    return sum == n ? 6 : 7;
  }
  if (waits) {
    puts("ready");
    fflush(stdout);
    if (to_group) kill(0, n);
    for (int i = 0; came == 0 && i < 600; ++i) wait_ns(100000000);
    wait_ns(100000000);
    return came == 1 ? 9 : 8;
  }
  return n;
}
