// SPDX-License-Identifier: BSD-3-Clause
// Waits, works in parallel for some time and ends as it is told: "return", "exit", "kill" or "_exit". Prints when it
// began, by the kernel's word, and the processor time that it had used in the end. "zone": sets its time zone then, and
// prints the hour in which the epoch began there.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  const struct timespec while_serial = {0, 100000000};
  nanosleep(&while_serial, NULL);
#pragma omp parallel num_threads(2)
  {
    const double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    while (seconds(CLOCK_THREAD_CPUTIME_ID) - begin < 0.02) {
    }
  }
  if (strcmp(how, "zone") == 0) {
    const time_t epoch = 0;
    struct tm local;
    setenv("TZ", "XXX-5", 1);
    return printf("%d\n", localtime_r(&epoch, &local) != NULL ? local.tm_hour : -1) < 0;
  }
  const struct timespec before_the_end = {0, 50000000};
  nanosleep(&before_the_end, NULL);
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("%.6f %.6f\n", seconds(CLOCK_MONOTONIC),
         (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
             (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6);
  fflush(stdout);
  if (strcmp(how, "exit") == 0) exit(5);
  if (strcmp(how, "_exit") == 0) _exit(6);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  return 3;
}
