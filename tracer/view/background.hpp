// SPDX-License-Identifier: BSD-3-Clause
// What is made of the traces while they are viewed.
#pragma once

#include <pthread.h>

#include <csignal>
#include <exception>
#include <thread>
#include <utility>

namespace tracer::view {

/// Ends what is made: the viewer ends.
class Ended final : public std::exception {};

/// A thread that gets no signals: they end the command, and that is for those who wait for them.
template <class Work>
std::thread in_background(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread{std::move(work)};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace tracer::view
