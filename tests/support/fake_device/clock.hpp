// SPDX-License-Identifier: BSD-3-Clause
// Time that passes when somebody looks: tests do not depend on the machine, and hours cost nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tracer::test {

/// The host's clock in ns; every reading takes 50 ns.
class VirtualClock {
 public:
  static std::uint64_t now() noexcept { return real_ ? steady() : time_.fetch_add(50) + 50; }
  static void advance(std::uint64_t ns) noexcept {
    if (!real_) {
      time_.fetch_add(ns);
      return;
    }
    for (const auto end = steady() + ns; steady() < end;) {
    }
  }
  /// For whole programs, whose tool has a clock of its own: from now on, real time passes. Before the first reading.
  static void be_real() noexcept { real_ = true; }

 private:
  static std::uint64_t steady() noexcept {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  static inline std::atomic<std::uint64_t> time_{1'000'000'000};
  static inline bool real_ = false;
};

/// A device's clock: offset, and faster or slower by some ppm.
struct DriftingClock {
  std::uint64_t offset = 0;
  std::int64_t ppm = 0;
  std::uint64_t at(std::uint64_t host) const noexcept {
    return offset + host + static_cast<std::uint64_t>(static_cast<std::int64_t>(host / 1000) * ppm / 1000);
  }
  /// The host's time, in seconds.
  double host_of(std::uint64_t device) const noexcept {
    return static_cast<double>(device - offset) * 1e-9 / (1 + static_cast<double>(ppm) * 1e-6);
  }
};

}  // namespace tracer::test
