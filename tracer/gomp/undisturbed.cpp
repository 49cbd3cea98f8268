// SPDX-License-Identifier: BSD-3-Clause
// See undisturbed.hpp.
#include "tracer/gomp/undisturbed.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "tracer/undisturbed.hpp"

namespace tracer::gomp {
namespace {

/// Beginning a trace is the most that is done, with some 50 KiB.
constexpr std::size_t needed = 192 * 1024, own_stack = 256 * 1024;

bool is_main_thread() noexcept {
  return syscall(SYS_gettid) == getpid();
}

/// A thread's stack; empty: it is the main thread's, which grows.
struct Stack {
  std::uintptr_t begin, end;
  bool is_known;
};
constinit thread_local Stack stack __attribute__((tls_model("initial-exec"))) = {0, 0, false};

Stack stack_of_thread() noexcept {
  Stack found{0, 0, true};
  pthread_attr_t attributes;
  if (is_main_thread() || pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
  void* lowest = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    found.begin = reinterpret_cast<std::uintptr_t>(lowest);
    found.end = found.begin + size;
  }
  pthread_attr_destroy(&attributes);
  return found;
}

struct Job {
  void (*function)(void*);
  void* data;
  ucontext_t before, inside;
};
constinit thread_local Job* job __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local unsigned depth __attribute__((tls_model("initial-exec"))) = 0;

bool has_room() noexcept {
  if (job != nullptr) return true;  // it is on a stack of ours
  stack_t of_handlers;
  if (sigaltstack(nullptr, &of_handlers) == 0 && (of_handlers.ss_flags & SS_ONSTACK) != 0) return false;
  if (!stack.is_known) stack = stack_of_thread();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return stack.end == 0 || (here < stack.end && here > stack.begin && here - stack.begin >= needed);
}

/// False: there is no memory for a stack.
bool run_elsewhere(void (*function)(void*), void* data) noexcept {
  void* const memory =
      mmap(nullptr, own_stack + sizeof(Job), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* const mine = reinterpret_cast<Job*>(static_cast<char*>(memory) + own_stack);
  mine->function = function;
  mine->data = data;
  bool has_run = false;
  if (getcontext(&mine->inside) == 0) {
    mine->inside.uc_stack.ss_sp = memory;
    mine->inside.uc_stack.ss_size = own_stack;
    mine->inside.uc_link = &mine->before;
    makecontext(
        &mine->inside, [] { job->function(job->data); }, 0);
    job = mine;
    has_run = swapcontext(&mine->before, &mine->inside) == 0;
    job = nullptr;
  }
  munmap(memory, own_stack + sizeof(Job));
  return has_run;
}

}  // namespace

void undisturbed(void (*function)(void*), void* data) noexcept {
  const int kept_errno = errno;
  {
    const Undisturbed undisturbed;
    ++depth;
    if (has_room() || !run_elsewhere(function, data)) function(data);
    --depth;
  }
  errno = kept_errno;
}

bool is_undisturbed() noexcept {
  return depth != 0;
}

}  // namespace tracer::gomp
