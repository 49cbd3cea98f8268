// SPDX-License-Identifier: BSD-3-Clause
// How a program that may be killed proves what it has done: a counter that a test shares with it.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/// The file that TRACER_TEST_WITNESS names, as one 64-bit number; a private one without it.
static inline volatile uint64_t* witness(void) {
  // These programs never end by themselves: not beyond the test that started them, nor when that hangs.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(120);
  const char* path = getenv("TRACER_TEST_WITNESS");
  int fd = path ? open(path, O_RDWR) : -1;
  void* memory = mmap(0, 4096, PROT_READ | PROT_WRITE, fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, fd, 0);
  if (fd >= 0) close(fd);
  return (volatile uint64_t*)memory;
}
