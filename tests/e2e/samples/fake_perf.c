// SPDX-License-Identifier: BSD-3-Clause
// Preloaded: a kernel that denies some of perf_event_open(2), as TRACER_TEST_PERF says:
//   KIND:ERRNO[:FIRST]
//     open      every event               from the FIRST one on (1, the default: all)
//     one       the FIRST event only
//     switches  events that note switches
//     sampling  events that take samples
//     mmap      their rings               from the FIRST one on
//     page      the pages of counters     from the FIRST one on
//     kernel    events that count what happens in the kernel
//     hardware  the processor's counters, from the FIRST one of a group on; those before it, and all where ERRNO is 0,
//               are clocks of the kernel's instead: the thread's processor time
//   empty:0     events that never note anything
// TRACER_TEST_PARANOID: what /proc/sys/kernel/perf_event_paranoid seems to hold.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int opened, mapped;
static _Atomic unsigned char is_event[4096];
static _Thread_local int of_group;

static int kind(char* name, int* first) {
  int number = 0;
  *first = 1;
  name[0] = 0;
  const char* asked = getenv("TRACER_TEST_PERF");
  if (asked != NULL) sscanf(asked, "%15[^:]:%d:%d", name, &number, first);
  return number;
}

static int is_hardware(const struct perf_event_attr* attributes) {
  return attributes->type == PERF_TYPE_HARDWARE || attributes->type == PERF_TYPE_HW_CACHE;
}

static int denied(struct perf_event_attr* attributes, int leader) {
  char name[16];
  int first;
  const int number = kind(name, &first), nth = ++opened;
  if (leader < 0) of_group = 0;
  if (!strcmp(name, "hardware") && is_hardware(attributes)) {
    if (number != 0 && ++of_group >= first) return number;
    attributes->type = PERF_TYPE_SOFTWARE;
    attributes->config = PERF_COUNT_SW_TASK_CLOCK;
    return 0;
  }
  const int hit = (!strcmp(name, "open") && nth >= first) || (!strcmp(name, "one") && nth == first) ||
                  (!strcmp(name, "switches") && attributes->context_switch) ||
                  (!strcmp(name, "kernel") && !attributes->exclude_kernel) ||
                  (!strcmp(name, "sampling") && attributes->sample_period != 0);
  return hit ? number : 0;
}

long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  if (number != SYS_perf_event_open) return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const int error = denied((struct perf_event_attr*)a[0], (int)a[3]);
  if (error != 0) {
    errno = error;
    return -1;
  }
  char name[16];
  int first;
  kind(name, &first);
  const long fd = strcmp(name, "empty") != 0 ? real(number, a[0], a[1], a[2], a[3], a[4], a[5])
                                             : memfd_create("event", MFD_CLOEXEC);
  if (fd >= 0 && fd < (long)sizeof is_event) is_event[fd] = 1;
  return fd;
}

void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  const int is_ring = fd >= 0 && fd < (int)sizeof is_event && is_event[fd];
  if (is_ring) {
    char name[16];
    int first;
    const int error = kind(name, &first);
    const int is_page = (protection & PROT_WRITE) == 0;  // rings are written to
    if ((!strcmp(name, "mmap") || (!strcmp(name, "page") && is_page)) && ++mapped >= first) {
      if (is_page) is_event[fd] = 0;
      errno = error;
      return MAP_FAILED;
    }
    is_event[fd] = 0;
    if (!strcmp(name, "empty")) fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  }
  return (void*)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  const char* paranoid = getenv("TRACER_TEST_PARANOID");
  if (paranoid == NULL || strcmp(path, "/proc/sys/kernel/perf_event_paranoid") != 0)
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  const int fd = memfd_create("paranoid", MFD_CLOEXEC);
  if (fd >= 0 && (write(fd, paranoid, strlen(paranoid)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) close(fd);
  return fd;
}
