// SPDX-License-Identifier: BSD-3-Clause
// Functions of the C library that programs' preloaded libraries take over, for libtracer.so alone: its own calls, and
// those of what is linked into it, come to these definitions, which nobody else sees (libtracer.map).
//
// libfaketime (0.9.10 seen) returns another time and other times of files, and its functions use memory that its
// destructor frees: the tool still writes then, and a call of fstat() ends the process. What is recorded, and the
// state of files, is the kernel's.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "tracer/base/c_library_calls.hpp"

namespace {

using ReadClock = int (*)(clockid_t, timespec*);

int by_system_call(clockid_t clock, timespec* time) {
  return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
}

/// The C library's own, which needs no system call.
constinit std::atomic<ReadClock> clock_of_library{&by_system_call};

[[gnu::constructor(101)]] void find_c_library() {
  void* library = ::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  tracer::call_the_c_library(library, &clock_of_library);
  if (void* found = ::dlsym(library, "clock_gettime"))
    clock_of_library.store(reinterpret_cast<ReadClock>(found), std::memory_order_relaxed);
  ::dlclose(library);
}

int status_of(int directory, const char* path, void* info, int flags) {
  return static_cast<int>(::syscall(SYS_newfstatat, directory, path, info, flags));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  return clock_of_library.load(std::memory_order_relaxed)(clock, time);
}

time_t time(time_t* to) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (to != nullptr) *to = now.tv_sec;
  return now.tv_sec;
}

int nanosleep(const timespec* wanted, timespec* left) {
  return static_cast<int>(::syscall(SYS_nanosleep, wanted, left));
}

int stat(const char* path, struct stat* info) noexcept {
  return status_of(AT_FDCWD, path, info, 0);
}
int lstat(const char* path, struct stat* info) noexcept {
  return status_of(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}
int fstatat(int directory, const char* path, struct stat* info, int flags) noexcept {
  return status_of(directory, path, info, flags);
}
int fstat(int fd, struct stat* info) noexcept {
  return static_cast<int>(::syscall(SYS_fstat, fd, info));
}
int fstat64(int fd, struct stat64* info) noexcept {
  return static_cast<int>(::syscall(SYS_fstat, fd, info));
}
int statx(int directory, const char* path, int flags, unsigned mask, struct statx* info) noexcept {
  return static_cast<int>(::syscall(SYS_statx, directory, path, flags, mask, info));
}

pid_t getpid() noexcept {
  return static_cast<pid_t>(::syscall(SYS_getpid));
}

ssize_t getrandom(void* to, std::size_t bytes, unsigned flags) {
  return ::syscall(SYS_getrandom, to, bytes, flags);
}
int getentropy(void* to, std::size_t bytes) {
  if (bytes <= 256 && getrandom(to, bytes, 0) == static_cast<ssize_t>(bytes)) return 0;
  errno = EIO;
  return -1;
}

}  // extern "C"
