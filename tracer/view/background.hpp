// SPDX-License-Identifier: BSD-3-Clause
// What is made of the traces while they are viewed.
#pragma once

#include <exception>
#include <thread>
#include <utility>

#include "tracer/signals_blocked.hpp"

namespace tracer::view {

/// Ends what is made: the viewer ends.
class Ended final : public std::exception {};

/// A thread that gets no signals: they end the command, and that is for those who wait for them.
template <class Work>
std::thread in_background(Work work) {
  const SignalsBlocked blocked;
  return std::thread{std::move(work)};
}

}  // namespace tracer::view
