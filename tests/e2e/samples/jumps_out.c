// SPDX-License-Identifier: BSD-3-Clause
// What programs with a time limit do: SIGALRM's handler leaves by a jump, wherever it came, while the thread is
// sampled.
//   jumps_out jump    siglongjmp, which brings the mask back
//   jumps_out plain   longjmp, from a handler with SA_NODEFER: the mask is nobody's to bring back
//   jumps_out deep    as jump, out of functions that use much stack
//   jumps_out count   no jump: Linux gives a signal of the process to its first thread unless that blocks it
// Status 5. Says how many jumps there were, how many handlers ran on another thread than the first, and whether the
// mask of the first thread is as it was.
#define _GNU_SOURCE
#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { jumps = 200 };
static volatile sig_atomic_t on_first, elsewhere, leaves;
static sigjmp_buf back;

static void alarmed(int signal) {
  (void)signal;
  if (syscall(SYS_gettid) == getpid())
    on_first = on_first + 1;
  else
    elsewhere = elsewhere + 1;
  if (leaves && syscall(SYS_gettid) == getpid()) siglongjmp(back, 1);
}

static void set_timer(long first_us, long each_us) {
  const struct itimerval times = {{0, each_us}, {0, first_us}};
  setitimer(ITIMER_REAL, &times, NULL);
}

__attribute__((noinline)) static long deep(int depth) {
  volatile char room[512];
  room[depth % 512] = (char)depth;
  return depth == 0 ? room[0] : deep(depth - 1) + room[depth % 512];
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  const int is_plain = strcmp(how, "plain") == 0, is_deep = strcmp(how, "deep") == 0;
  volatile long n = 0;
  volatile int k = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    n++;
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = alarmed;
  action.sa_flags = is_plain ? SA_NODEFER : 0;
  sigaction(SIGALRM, &action, NULL);
  sigset_t before, now;
  sigprocmask(SIG_SETMASK, NULL, &before);
  leaves = strcmp(how, "count") != 0;
  if (leaves) {
    for (; k < jumps; k++) {
      if (sigsetjmp(back, !is_plain) != 0) continue;
      // Again and again: where the thread has no processor and another signal waits for it, Linux gives one to the
      // other.
      set_timer(2000 + k * 37, 2000);
      for (;;) n += is_deep ? deep(200) : 1;
    }
    set_timer(0, 0);
  } else {
    set_timer(500, 500);
    const double end = omp_get_wtime() + 1.5;
    while (omp_get_wtime() < end) n++;
    set_timer(0, 0);
  }
  sigprocmask(SIG_SETMASK, NULL, &now);
  int changed = 0;
  for (int s = 1; s <= SIGRTMAX; ++s) changed += sigismember(&before, s) != sigismember(&now, s);
  printf("jumps %d, elsewhere %s, mask %s\n", (int)k, elsewhere <= on_first / 50 ? "few" : "MANY",
         changed ? "CHANGED" : "ok");
  return 5;
}
