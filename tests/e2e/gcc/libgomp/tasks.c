// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks of all kinds: blocks of several sizes and alignments, dependences, groups, loops, undeferred, final,
// detached.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static long total;
#define ADD(n) __atomic_add_fetch(&total, (long)(n), __ATOMIC_RELAXED)

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a) if (n > 6)
  a = fib(n - 1);
#pragma omp task shared(b) untied mergeable
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

struct big {
  long words[100];
};
typedef struct {
  _Alignas(64) long value[8];
} aligned;

static void blocks(void) {
  struct big big;
  aligned wide;
  for (int i = 0; i < 100; ++i) big.words[i] = i;
  for (int i = 0; i < 8; ++i) wide.value[i] = i;
  char letter = 3;
#pragma omp task firstprivate(big)
  {
    for (int i = 0; i < 100; ++i) ADD(big.words[i]);
    big.words[0] = 7;
  }
#pragma omp task firstprivate(wide)
  {
    if ((uintptr_t)&wide % 64 != 0) printf("not aligned\n");
    for (int i = 0; i < 8; ++i) ADD(wide.value[i]);
  }
#pragma omp task firstprivate(letter) priority(3)
  ADD(letter);
#pragma omp task
  ADD(1);
#pragma omp task if (0) firstprivate(wide)
  {
    if ((uintptr_t)&wide % 64 != 0) printf("not aligned\n");
    ADD(wide.value[7]);
  }
#pragma omp task final(1)
  {
#pragma omp task
    ADD(omp_in_final());
  }
  int length = 10 + letter;
  char text[length];
  memset(text, 1, (size_t)length);
#pragma omp task firstprivate(text)
  for (int i = 0; i < length; ++i) ADD(text[i]);
#pragma omp taskwait
}

struct huge {
  long words[400000];
};
/// Two copies of it do not fit on the stack.
static void large(void) {
  struct huge huge;
  for (int i = 0; i < 400000; ++i) huge.words[i] = 1;
#pragma omp task firstprivate(huge)
  ADD(huge.words[399999]);
#pragma omp taskwait
}

static void chain(void) {
  int x = 0, y = 0, z = 0;
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp task depend(out : x) shared(x)
  x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
  y = x + 1;
#pragma omp task depend(in : x) depend(inout : z) shared(x, z)
  z = x + 2;
#pragma omp task depend(in : y, z) depend(inout : x) shared(x, y, z)
  x += y + z;
#pragma omp task depend(depobj : object) shared(x)
  x *= 2;
  for (int i = 0; i < 4; ++i) {
#pragma omp task depend(mutexinoutset : x) shared(x)
    x += 1;
  }
#if __GNUC__ >= 13
#pragma omp taskwait depend(inout : x) depend(in : y) nowait
#pragma omp task depend(inout : omp_all_memory) shared(x, y, z)
  x += y + z;
#endif
#pragma omp taskwait depend(in : x)
  ADD(x);
#pragma omp taskwait
#pragma omp depobj(object) destroy
}

static void loops(int n) {
#pragma omp taskloop
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp taskloop grainsize(7)
  for (int i = 0; i < n; ++i) ADD(i);
#pragma omp taskloop num_tasks(13) nogroup
  for (int i = n - 1; i >= 0; --i) ADD(i);
#pragma omp taskloop grainsize(1)
  for (unsigned long long i = 0; i < 3000; ++i) ADD(1);
#pragma omp taskloop if (0) grainsize(1)
  for (int i = 0; i < 40000; ++i) ADD(1);
#pragma omp taskloop collapse(2) untied
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) ADD(j);
#pragma omp taskloop grainsize(5)
  for (int i = 0; i < 0; ++i) ADD(1000000);
  long sum = 0, last = 0;
#pragma omp taskloop reduction(+ : sum) lastprivate(last) num_tasks(9)
  for (int i = 0; i < n; ++i) {
    sum += i;
    last = i;
  }
  ADD(sum + last);
}

static void groups(void) {
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : sum)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
  }
  ADD(sum);
#pragma omp taskgroup
  {
#pragma omp taskgroup
    {
#pragma omp task
      ADD(5);
    }
#pragma omp taskyield
  }
}

static void detached(void) {
#if __GNUC__ >= 11
  omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(total)
  {
    __atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
    omp_fulfill_event(event);
  }
#pragma omp taskwait
  ADD(2);
#endif
}

static long in_teams_of_tasks(void) {
  long sum = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(sum)
    {
      long inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
      {
#pragma omp single
        for (int k = 0; k < 5; ++k) {
#pragma omp task
          ADD(k);
        }
        inner += 1;
      }
#pragma omp atomic
      sum += omp_get_level() > 9 ? 1 : 0;
    }
  }
#pragma omp taskwait
  return sum;
}

int main(void) {
#pragma omp task
  ADD(1);  // of no team
#pragma omp taskwait
#pragma omp parallel
#pragma omp single
  {
    ADD(fib(12));
    blocks();
    large();
    chain();
    loops(100);
    groups();
    detached();
    ADD(in_teams_of_tasks());
  }
#pragma omp parallel
  {
#pragma omp task
    ADD(omp_get_num_threads() > 0);
#pragma omp barrier
#pragma omp master
#pragma omp task
    ADD(1);
  }
#pragma omp parallel num_threads(2)
#pragma omp single nowait
  for (int i = 0; i < 5000; ++i) {
#pragma omp task
    ADD(1);
  }
  printf("total %ld\n", total - omp_get_max_threads());
  return 0;
}
