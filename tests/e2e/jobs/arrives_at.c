/* SPDX-License-Identifier: BSD-3-Clause */
/* When the process has made the directory ARRIVES_AT, another one's anchor is in it at once. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int mkdir(const char* path, mode_t mode) {
  const char* where = getenv("ARRIVES_AT");
  const int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result != 0 || where == NULL || strcmp(path, where) != 0) return result;
  char anchor[4096];
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", path);
  close(open(anchor, O_WRONLY | O_CREAT, 0600));
  return result;
}
