// SPDX-License-Identifier: BSD-3-Clause
// Flushes on a thread that nobody has to wait for.
#include "device/ompt/bounded_flush.hpp"

#include <pthread.h>

#include <chrono>
#include <new>
#include <thread>

#include "tracer/signals_blocked.hpp"

namespace tracer::device::ompt {

using namespace std::chrono_literals;

void* BoundedFlush::run(void* call) noexcept {
  const std::unique_ptr<std::shared_ptr<Call>> own(static_cast<std::shared_ptr<Call>*>(call));
  (*own)->answer = (*own)->flush(static_cast<ompt_device_t*>((*own)->device));
  (*own)->done = true;
  return nullptr;
}

bool BoundedFlush::start(ompt_flush_trace_t flush, DeviceHandle device) noexcept try {
  call_ = std::make_shared<Call>();
  call_->flush = flush;
  call_->device = device;
  auto own = std::make_unique<std::shared_ptr<Call>>(call_);
  pthread_t thread{};
  {
    const SignalsBlocked blocked;
    if (::pthread_create(&thread, nullptr, &run, own.get()) != 0) return false;
  }
  own.release();
  ::pthread_detach(thread);
  return true;
} catch (...) {
  return false;
}

bool BoundedFlush::await(const std::function<std::uint64_t()>& progress) noexcept {
  const auto begin = std::chrono::steady_clock::now();
  auto last_change = begin;
  for (auto seen = progress(); !call_->done.load();) {
    std::this_thread::sleep_for(100us);
    const auto time = std::chrono::steady_clock::now();
    if (const auto now = progress(); now != seen) seen = now, last_change = time;
    if (time - last_change > 1s || time - begin > 10s) return false;
  }
  return true;
}

}  // namespace tracer::device::ompt
