// SPDX-License-Identifier: BSD-3-Clause
// Searches through what is open, of events that do not fit together.
#pragma once

#include <cstddef>

#include "tracer/base/budget.hpp"
#include "tracer/error.hpp"

namespace tracer::report {

/// What an event ends or names is the innermost that is open, or one near to it. A damaged trace may have millions
/// open, and millions of events for which all of them are looked at in vain: it would take days.
class VainSearches {
 public:
  /// `looked_at`: what was not searched for. Throws tracer::Error where they are too many together.
  void add(std::size_t looked_at) {
    if (looked_at > usual && !left_.take(looked_at)) [[unlikely]]
      throw Error("too many events of the trace do not fit together: run `tracer check` for details");
  }

 private:
  static constexpr std::size_t usual = 64;
  Budget left_{1'000'000'000};
};

}  // namespace tracer::report
