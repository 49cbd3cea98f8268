// SPDX-License-Identifier: BSD-3-Clause
// Loops that a runtime began without their position.
#pragma once

#include <cstdint>

#include "tracer/record.hpp"

namespace tracer::translate {

/// A loop that is_loop_without_codeptr() (constructs.hpp).
struct UnplacedLoop {
  Ticks begin = 0;
  std::uint64_t codeptr = 0;  ///< of its end; 0: there is none
};

}  // namespace tracer::translate
