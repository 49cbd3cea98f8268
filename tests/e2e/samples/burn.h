// SPDX-License-Identifier: BSD-3-Clause
// BURN(name, steps): a function that burns processor time, looks at the clock each so many steps, and adds what it
// burnt by the thread's own clock to name_ns.
#pragma once
#include <time.h>

static long long processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

#define BURN(name, steps)                                      \
  static long long name##_ns;                                  \
  static __attribute__((noinline)) double name(long long ns) { \
    const long long begin = processor_ns();                    \
    volatile double x = 1;                                     \
    long long used = 0;                                        \
    do {                                                       \
      for (int i = 0; i < steps; ++i) x = x * 1.000001 + 1e-9; \
      used = processor_ns() - begin;                           \
    } while (used < ns);                                       \
    __atomic_fetch_add(&name##_ns, used, __ATOMIC_RELAXED);    \
    return x;                                                  \
  }
