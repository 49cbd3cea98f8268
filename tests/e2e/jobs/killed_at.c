/* SPDX-License-Identifier: BSD-3-Clause */
/* Kills the process when it is about to remove a file: KILL_AT=NAME:N, at the N-th one of that name. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int unlinkat(int directory, const char* name, int flags) {
  static int seen;
  const char* where = getenv("KILL_AT");
  const char* colon = where != NULL ? strrchr(where, ':') : NULL;
  if (colon != NULL && strlen(name) == (size_t)(colon - where) && strncmp(name, where, strlen(name)) == 0 &&
      ++seen == atoi(colon + 1))
    raise(SIGKILL);
  return (int)syscall(SYS_unlinkat, directory, name, flags);
}
