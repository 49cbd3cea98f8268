// SPDX-License-Identifier: BSD-3-Clause
// See flush_signal.hpp.
#include "tracer/session/flush_signal.hpp"

#include <signal.h>

#include <atomic>

#include "tracer/base/files/file.hpp"
#include "tracer/session/session.hpp"

namespace tracer {
namespace {

// Of the program. Filled before our handler is there, which may run at any instant.
struct sigaction flush_before {};
std::atomic<bool> is_flush_before_called{false};

bool has_handler(const struct sigaction& action) noexcept {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void call_flush_before(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = flush_before;
  if (!has_handler(before)) return;
  if (is_flush_before_called.exchange(true) && (before.sa_flags & SA_RESETHAND) != 0) return;
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(signal, info, context);
  else
    before.sa_handler(signal);
}

void on_flush_signal(int signal, siginfo_t* info, void* context) {
  const KeepErrno keep;
  if (Session* session = Session::current()) session->consumer().request_flush();
  call_flush_before(signal, info, context);
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_flush_signal;
}

}  // namespace

bool flushes_at(int signal) noexcept {
  struct sigaction action {};
  return signal == 0 || ::sigaction(signal, nullptr, &action) != 0 || is_ours(action);
}

void flush_at(int signal) noexcept {
  struct sigaction before {};
  if (signal == 0 || ::sigaction(signal, nullptr, &before) != 0 || is_ours(before)) return;
  flush_before = before;
  is_flush_before_called.store(false);
  struct sigaction ours {};
  ours.sa_sigaction = on_flush_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  if (has_handler(before)) {
    ours.sa_mask = before.sa_mask;
    ours.sa_flags = SA_SIGINFO | (before.sa_flags & (SA_ONSTACK | SA_NODEFER | SA_RESTART));
  }
  ::sigaction(signal, &ours, nullptr);
}

}  // namespace tracer
