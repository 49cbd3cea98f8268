// SPDX-License-Identifier: BSD-3-Clause
// Programs that state which patterns of device use their trace must show.
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/// "PATTERN COUNT BYTES LINE".
static void expect(const char* pattern, int count, unsigned long sum, int line) {
  printf("%s %d %lu %d\n", pattern, count, sum, line);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/// "seconds PATTERN SECONDS": what the program lost by it, by its own clock.
static void expect_seconds(const char* pattern, double seconds) {
  printf("seconds %s %.6f\n", pattern, seconds);
}

typedef struct {
  const char* name;
  void (*run)(void);
  void (*cured)(void);  ///< the same without the disease, as the report advises; NULL: there is nothing to cure
} Program;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/// Runs it, or with a second word what it is when cured. Then "ran SECONDS PROCESSOR-SECONDS".
static void run(const Program* program, int argc) {
  const double begin = now(), began = processor_time();
  if (argc < 3)
    program->run();
  else if (program->cured != NULL)
    program->cured();
  printf("ran %.6f %.6f\n", now() - begin, processor_time() - began);
}

/// The one that the command line names; NULL: it names none, and those that there are have been listed.
static const Program* chosen(const Program* programs, size_t count, int argc, char** argv) {
  const Program* named = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (argc < 2)
      printf("%s\n", programs[i].name);
    else if (strcmp(argv[1], programs[i].name) == 0)
      named = &programs[i];
  }
  return named;
}
