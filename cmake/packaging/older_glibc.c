// SPDX-License-Identifier: BSD-3-Clause
// Linked into the portable package only (cmake/scripts/portable.sh): what g++ 12's libraries and headers call of a C
// library newer than 2.28, by what 2.28 has. Nothing of it is visible outside.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

#ifndef OF_LIBM

// 2.32. False: libstdc++ takes its atomic operations always.
char __libc_single_threaded = 0;

// 2.35. By it libgcc finds where exceptions go; it has no other way where it was built with it.
struct search {
  uintptr_t address;
  struct dl_find_object* result;
};
static int look_at(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  const struct search* search = data;
  uintptr_t begin = UINTPTR_MAX, end = 0, frames = 0;
  int is_it = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    const uintptr_t at = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) frames = at;
    if (segment->p_type != PT_LOAD) continue;
    if (search->address - at < segment->p_memsz) is_it = 1;
    if (at < begin) begin = at;
    if (at + segment->p_memsz > end) end = at + segment->p_memsz;
  }
  if (!is_it || frames == 0) return 0;
  search->result->dlfo_map_start = (void*)begin;
  search->result->dlfo_map_end = (void*)end;
  search->result->dlfo_eh_frame = (void*)frames;
  return 1;
}
int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}

// 2.36
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (syscall(SYS_getrandom, &value, sizeof value, 0) != (long)sizeof value && errno == EINTR)
    ;
  return value;
}

// 2.30
static struct timespec on_the_wall(clockid_t clock, const struct timespec* until) {
  if (clock == CLOCK_REALTIME) return *until;
  struct timespec here, wall;
  clock_gettime(clock, &here);
  clock_gettime(CLOCK_REALTIME, &wall);
  int64_t nanoseconds = (until->tv_sec - here.tv_sec) * 1000000000ll + (until->tv_nsec - here.tv_nsec);
  if (nanoseconds < 0) nanoseconds = 0;
  nanoseconds += wall.tv_nsec;
  wall.tv_sec += nanoseconds / 1000000000;
  wall.tv_nsec = nanoseconds % 1000000000;
  return wall;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  const struct timespec wall = on_the_wall(clock, until);
  return pthread_cond_timedwait(condition, mutex, &wall);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  const struct timespec wall = on_the_wall(clock, until);
  return pthread_mutex_timedlock(mutex, &wall);
}
pid_t gettid(void) {
  return (pid_t)syscall(SYS_gettid);
}
ssize_t getdents64(int fd, void* to, size_t bytes) {
  return syscall(SYS_getdents64, fd, to, bytes);
}

#else

// 2.29: the same functions without an error's handling of their own.
#if defined(__x86_64__)
#define OLDER "GLIBC_2.2.5"
#else
#define OLDER "GLIBC_2.17"
#endif
#define THEIRS extern __attribute__((visibility("default")))
#define OF_ONE(name)                                   \
  THEIRS double older_##name(double);                  \
  __asm__(".symver older_" #name "," #name "@" OLDER); \
  double name(double x) {                              \
    return older_##name(x);                            \
  }
OF_ONE(exp)
OF_ONE(exp2)
OF_ONE(log)
OF_ONE(log2)
THEIRS double older_pow(double, double);
__asm__(".symver older_pow,pow@" OLDER);
double pow(double x, double y) {
  return older_pow(x, y);
}

#endif

#pragma GCC visibility pop
