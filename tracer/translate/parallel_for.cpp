// SPDX-License-Identifier: BSD-3-Clause
// A counter that threads take their next piece from.
#include "tracer/translate/parallel_for.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <vector>

#include "tracer/base/memory_checks.hpp"
#include "tracer/base/own_stack.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/signals_blocked.hpp"

namespace tracer::translate {
namespace {

struct Work {
  std::size_t count;
  const std::function<void(std::size_t)>& body;
  std::atomic<std::size_t> next{0};
  std::mutex mutex{};
  std::exception_ptr failure{};

  void run() noexcept {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  }
};

void* run(void* work) {
  const WithoutMemoryChecks unchecked;
  run_on_usable_processors();
  static_cast<Work*>(work)->run();
  return nullptr;
}

}  // namespace

bool start_helper(pthread_t& thread, void* (*body)(void*), void* argument) noexcept {
  const SignalsBlocked blocked;
  // The default is the program's to choose (RLIMIT_STACK, pthread_setattr_default_np), for threads of its own.
  constexpr std::size_t stack_bytes = 2 << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_beside_variables(stack_bytes));
  const bool started = pthread_create(&thread, &attributes, body, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& body) {
  Work work{count, body};
  std::vector<pthread_t> helpers;
  const std::size_t wanted = std::min<std::size_t>(threads, count);
  helpers.reserve(wanted);  // may throw: while none runs
  for (std::size_t n = 1; n < wanted; ++n) {
    pthread_t thread;
    if (!start_helper(thread, run, &work)) break;
    helpers.push_back(thread);
  }
  work.run();
  for (const pthread_t thread : helpers) pthread_join(thread, nullptr);
  if (work.failure) std::rethrow_exception(work.failure);
}

unsigned threads_to_use(unsigned wanted) noexcept {
  constexpr unsigned most = 8;
  return wanted != 0 ? wanted : std::min(usable_processors(), most);
}

}  // namespace tracer::translate
