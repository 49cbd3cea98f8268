// SPDX-License-Identifier: BSD-3-Clause
// What the two halves of the program share: mixed_half.c, once built by GCC and once by clang.
#pragma once

enum { levels = 3 };
enum { regions, members, criticals, locks, loops, tasks, barriers, taskwaits, counted };

/// Which constructs are inside which, from the outermost: half of the program in turn.
struct walk {
  void (*half[2])(const struct walk*, int);
  int first;         ///< the half of the outermost
  int kind[levels];  ///< of mixed_half.c; below 0: none
  long* counts;
  double* held;  ///< seconds in the outermost critical
};

void gcc_half(const struct walk* walk, int level);
void clang_half(const struct walk* walk, int level);
