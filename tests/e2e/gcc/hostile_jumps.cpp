// SPDX-License-Identifier: BSD-3-Clause
// Constructs that a program leaves by longjmp, or by going to another stack.
#include "hostile.hpp"

#include <setjmp.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

static jmp_buf out;
// As R does it on an error: out of a construct of one thread, and on.
[[gnu::noinline]] static void jump_from_critical() {
#pragma omp critical(jumped)
  longjmp(out, 1);
}
[[gnu::noinline]] static void jump_from_loop() {
#pragma omp for schedule(dynamic) nowait
  for (int i = 0; i < 5; ++i)
    if (i == 2) longjmp(out, 1);
}
[[gnu::noinline]] static void jump_back(jmp_buf& to, int round) {
#pragma omp task if (0)
  total += 1;
  longjmp(to, round);
}
[[gnu::noinline]] static void go_round() {
  jmp_buf mine;
  const int round = setjmp(mine);
  if (round < 3) jump_back(mine, round + 1);
}
[[gnu::noinline]] static void jump_inside() {
#pragma omp parallel num_threads(3)
  {
    go_round();
#pragma omp barrier
    go_round();
  }
}
void jumps() {
  void (*const all[])() = {jump_from_loop, jump_from_critical};
  for (auto* each : all) {
    if (setjmp(out) == 0) each();
    printf("jumped, %ld\n", region(1)), fflush(stdout);
  }
  jump_inside();
}
void jump_from_region() {
  for (int i = 0; i < 20; ++i) {
    if (setjmp(out) == 0) {
#pragma omp parallel num_threads(1)
      longjmp(out, 1);
    }
  }
  printf("out of regions\n");
}

/// Out of constructs whose code runs inside of libgomp's call, from several depths in turn, very often: the process
/// does not grow with their number. libgomp itself keeps memory for each region that is left.
[[gnu::noinline]] static void leave_target() {
#pragma omp target
  longjmp(out, 1);
}
[[gnu::noinline]] static void leave_region() {
#pragma omp parallel num_threads(1)
  longjmp(out, 1);
}
[[gnu::noinline]] static void deeper(void (*leave)(), int levels) {
  char volatile room[64];
  room[0] = 1;
  if (levels == 0) return leave();
  deeper(leave, levels - 1);
  room[1] = 1;
}
static long pages() {
  long all = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == nullptr || fscanf(file, "%ld %ld", &all, &resident) != 2) abort();
  fclose(file);
  return resident;
}
void left() {
  static int volatile i;
  static long volatile before;
  constexpr int often = 300000, rarely = 1000;
  for (i = 0; i < often; i = i + 1) {
    if (i == rarely) before = pages();
    if (setjmp(out) == 0) deeper(leave_target, i % 7);
  }
  const long kilobytes = (pages() - before) * (getpagesize() / 1024);
  printf("%s\n", kilobytes < 8192 ? "bounded" : ("grown by " + std::to_string(kilobytes) + " KiB").c_str());
  for (i = 0; i < rarely; i = i + 1)
    if (setjmp(out) == 0) deeper(leave_region, i % 7);
}

/// Constructs that are open on one stack while others begin and end on another: one within the thread's own stack above
/// them, one below, and of these one that is left for good.
static ucontext_t on_thread, inside[3];
static void on_other_stack(int number) {
  for (int round = 0; round < 3; ++round) {
    const int given = number * 10 + round;
#pragma omp parallel num_threads(1) firstprivate(given)
    {
      swapcontext(&inside[number], &on_thread);
      total += given;
    }
  }
  swapcontext(&inside[number], &on_thread);
}
[[gnu::noinline]] static void switch_to(int number, int round) {
  char volatile room[512];
  room[round] = 1;
#pragma omp parallel num_threads(1) firstprivate(round, number)
  {
    swapcontext(&on_thread, &inside[number]);
    total += round + number;
  }
}
void coroutines() {
  static char fixed[128 * 1024];
  char local[128 * 1024];
  char* const mapped = new char[128 * 1024];
  char* const stacks[] = {local, fixed, mapped};
  for (int i = 0; i < 3; ++i) {
    getcontext(&inside[i]);
    inside[i].uc_stack.ss_sp = stacks[i];
    inside[i].uc_stack.ss_size = sizeof local;
    makecontext(&inside[i], reinterpret_cast<void (*)()>(on_other_stack), 1, i);
  }
  for (int round = 0; round < 4; ++round)
    for (int i = 0; i < 3; ++i) switch_to(i, round);
  delete[] mapped;
  printf("coroutines %ld\n", total.load());
}
