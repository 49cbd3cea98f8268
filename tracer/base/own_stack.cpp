// SPDX-License-Identifier: BSD-3-Clause
// See own_stack.hpp.
#include "tracer/base/own_stack.hpp"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <csignal>
#include <new>

#include "tracer/base/clock.hpp"
#include "tracer/base/futex.hpp"
#include "tracer/base/loader_gate.hpp"
#include "tracer/base/memory_checks.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/signals_blocked.hpp"

namespace tracer {
namespace {

/// How long the thread may need until it has the loader's lock. Whoever ends the process inside dlopen or dlclose (a
/// constructor, a destructor) holds that itself, and would wait for ever for a thread that looks modules up.
constexpr Nanoseconds patience_ns = 2'000'000'000;
constexpr unsigned look_ms = 100;

/// Of caller and thread; whoever leaves it last frees it.
struct Call {
  enum : std::uint32_t { begun, running, done, given_up };
  const std::function<void()>* work;
  FutexWord state{begun};

  void set(std::uint32_t to) noexcept {
    state.store(to, std::memory_order_release);
    futex_wake_all(state);
  }
};

// Steps, and the race with a caller that has no patience left:
//   1. the thread takes the loader's lock once, which nobody else has for long
//   2. begun -> running: the caller waits from now on, however long it takes; or
//      begun -> given_up: the caller has gone, and with it the work
//   3. running -> done
void* run(void* argument) {
  const WithoutMemoryChecks unchecked;
  auto* call = static_cast<Call*>(argument);
  LoaderGate::iterate([](dl_phdr_info*, std::size_t, void*) noexcept { return 1; }, nullptr);
  std::uint32_t expected = Call::begun;
  if (!call->state.compare_exchange_strong(expected, Call::running)) {
    delete call;
    return nullptr;
  }
  futex_wake_all(call->state);
  run_on_usable_processors();
  (*call->work)();
  call->set(Call::done);
  return nullptr;
}

bool start(Call* call, std::size_t bytes) noexcept {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const SignalsBlocked blocked;
  pthread_t thread{};
  const bool started = ::pthread_attr_setstacksize(&attributes, stack_beside_variables(bytes)) == 0 &&
                       ::pthread_create(&thread, &attributes, run, call) == 0;
  ::pthread_attr_destroy(&attributes);
  return started;
}

bool is_given_up(Call& call, Nanoseconds since) noexcept {
  if (read_monotonic() - since < patience_ns) return false;
  std::uint32_t expected = Call::begun;
  return call.state.compare_exchange_strong(expected, Call::given_up);
}

}  // namespace

bool run_on_own_stack(std::size_t bytes, const std::function<void()>& work) noexcept {
  auto* call = new (std::nothrow) Call{&work};
  if (call == nullptr) return false;
  if (!start(call, bytes)) {
    delete call;
    return false;
  }
  const Nanoseconds since = read_monotonic();
  for (;;) {
    const std::uint32_t state = call->state.load(std::memory_order_acquire);
    if (state == Call::done) break;
    if (state == Call::begun && is_given_up(*call, since)) return false;
    futex_wait(call->state, state, look_ms);
  }
  delete call;
  return true;
}

/// glibc's function for this has no other declaration; other C libraries keep those variables elsewhere.
std::size_t stack_beside_variables(std::size_t bytes) noexcept {
  using LeastStack = std::size_t (*)(const pthread_attr_t*);
  const auto least = reinterpret_cast<LeastStack>(::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
  pthread_attr_t attributes;
  if (least == nullptr || ::pthread_attr_init(&attributes) != 0) return bytes;
  bytes += least(&attributes);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

std::size_t stack_left() noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto above = [here](const void* lowest, std::size_t size) -> std::size_t {
    const auto from = reinterpret_cast<std::uintptr_t>(lowest);
    return here > from && here - from <= size ? here - from : 0;
  };
  stack_t alternate{};
  if (::sigaltstack(nullptr, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK) != 0)
    return above(alternate.ss_sp, alternate.ss_size);
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = ::pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  ::pthread_attr_destroy(&attributes);
  return known ? above(lowest, size) : 0;
}

}  // namespace tracer
