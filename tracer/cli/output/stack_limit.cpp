// SPDX-License-Identifier: BSD-3-Clause
// See stack_limit.hpp.
#include "tracer/cli/output/stack_limit.hpp"

#include <pthread.h>
#include <sys/resource.h>

#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>

#include "tracer/signals_blocked.hpp"

namespace tracer::cli {
namespace {

constexpr std::size_t enough = 8 << 20, least = 1 << 20;

/// Of this process, whose default is that limit, too.
void give_threads_enough() noexcept {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, enough) == 0) ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

int on_enough_stack(const std::function<int()>& work) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least) return work();
  give_threads_enough();
  int status = 0;
  std::exception_ptr error;
  std::thread thread;
  try {
    thread = std::thread([&] {
      try {
        status = work();
      } catch (...) {
        error = std::current_exception();
      }
    });
  } catch (const std::system_error&) {  // no memory for it
    return work();
  }
  {
    const SignalsBlocked blocked;  // they are for that thread, which blocks some while it starts a program
    thread.join();
  }
  if (error) std::rethrow_exception(error);
  return status;
}

}  // namespace tracer::cli
