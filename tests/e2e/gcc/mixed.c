// SPDX-License-Identifier: BSD-3-Clause
// Regions of libgomp and libomp, one inside the other. Words: kinds of constructs from the outermost, as g102 (GCC's
// half is the outermost) or c10; `.` is each kind. `held` measures the outermost critical. Prints what was counted.
#include "mixed.h"

#include <stdio.h>
#include <string.h>

enum { kinds = 10 };
static long counts[counted];
static double held;
static int measures;

static void walk_from(struct walk* walk, const char* word, int level) {
  if (word[level] == '\0') {
    for (int i = level; i < levels; ++i) walk->kind[i] = -1;
    walk->half[walk->first](walk, 0);
    return;
  }
  for (int kind = 0; kind < kinds; ++kind) {
    if (word[level] != '.' && word[level] != '0' + kind) continue;
    walk->kind[level] = kind;
    walk_from(walk, word, level + 1);
  }
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "held") == 0) {
      measures = 1;
      continue;
    }
    struct walk walk = {{gcc_half, clang_half}, argv[i][0] == 'c', {0}, counts, measures ? &held : NULL};
    walk_from(&walk, argv[i] + 1, 0);
  }
  for (int i = 0; i < counted; ++i) printf("%ld ", counts[i]);
  printf("\n");
  if (measures) fprintf(stderr, "held %f\n", held);
  return 0;
}
