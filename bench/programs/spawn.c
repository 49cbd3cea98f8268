/* SPDX-License-Identifier: BSD-3-Clause
 * Runs a command from a small process and writes what it used to the file named first: a child's peak
 * memory counts from its parent's, so that the driver itself would hide what a small program needs. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char** environ;

static double seconds(struct timeval t) {
  return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  if (argc < 3) return 127;
  FILE* out = fopen(argv[1], "w");
  if (!out) return 127;
  pid_t child;
  int status = 0;
  struct rusage usage;
  const double begin = now();
  if (posix_spawn(&child, argv[2], NULL, NULL, argv + 2, environ) != 0 || wait4(child, &status, 0, &usage) != child)
    return 127;
  const double wall = now() - begin;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  fprintf(out, "wall %.6f\ncpu %.6f\npeak_kib %ld\nfaults %ld\n", wall,
          seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss, usage.ru_minflt + usage.ru_majflt);
  fclose(out);
  return code;
}
