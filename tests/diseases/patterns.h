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
} Program;

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
