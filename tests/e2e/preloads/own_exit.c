// SPDX-License-Identifier: BSD-3-Clause
// A library that takes _exit() over, as one of the program may: it says so and ends with the status.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

void _exit(int status) {
  static const char text[] = "own exit\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) status = 99;
  for (;;) syscall(SYS_exit_group, status);
}
