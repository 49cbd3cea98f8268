/* SPDX-License-Identifier: BSD-3-Clause
   Preloaded: files under $LATE_QUOTA as on a network file system whose quota is used up. All that is written is taken,
   and refused where the file is closed or synchronized. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int is_refused(int fd) {
  const char* const place = getenv("LATE_QUOTA");
  char name[64], path[4096];
  const int mode = fcntl(fd, F_GETFL);
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(name, path, sizeof path);
  return place != NULL && mode >= 0 && (mode & O_ACCMODE) != O_RDONLY && length > (ssize_t)strlen(place) &&
         strncmp(path, place, strlen(place)) == 0;
}

static int refuse(void) {
  errno = EDQUOT;
  return -1;
}

EXPORT int close(int fd) {
  const int refused = is_refused(fd);
  const long status = syscall(SYS_close, fd);
  return refused ? refuse() : (int)status;
}

EXPORT int fclose(FILE* file) {
  int (*const next)(FILE*) = (int (*)(FILE*))dlsym(RTLD_NEXT, "fclose");
  const int refused = is_refused(fileno(file));
  const int status = next(file);
  return refused ? refuse() : status;
}

EXPORT int fsync(int fd) {
  return is_refused(fd) ? refuse() : (int)syscall(SYS_fsync, fd);
}

EXPORT int fdatasync(int fd) {
  return is_refused(fd) ? refuse() : (int)syscall(SYS_fdatasync, fd);
}
