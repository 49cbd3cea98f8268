// SPDX-License-Identifier: BSD-3-Clause
// Two functions whose loops the compiler puts into functions of its own, which older ones give no name of the
// program's. Says what each used by the threads' own clocks: function NANOSECONDS.
#include <stdio.h>

#include "burn.h"

static long long first_ns, second_ns;

#define LOOP(name, expression, rounds)                                                            \
  static __attribute__((noinline)) double name(int n) {                                           \
    double sum = 0;                                                                               \
    _Pragma("omp parallel num_threads(2) reduction(+ : sum)") {                                   \
      const long long begin = processor_ns();                                                     \
      for (int k = 0; k < rounds; ++k) {                                                          \
        _Pragma("omp for schedule(static) nowait") for (int i = 0; i < n; ++i) sum += expression; \
      }                                                                                           \
      const long long used = processor_ns() - begin;                                              \
      __atomic_fetch_add(&name##_ns, used, __ATOMIC_RELAXED);                                     \
    }                                                                                             \
    return sum;                                                                                   \
  }

LOOP(first, i * 0.5, 100)
LOOP(second, 1.0 / (i + 1), 40)

int main(void) {
  double sum = 0;
  for (int k = 0; k < 8; ++k) sum += first(1000000) + second(1000000);
  printf("first %lld\nsecond %lld\n", first_ns, second_ns);
  return sum == 0;
}
