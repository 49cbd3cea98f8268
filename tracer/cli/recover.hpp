// SPDX-License-Identifier: BSD-3-Clause
// Recovery as `tracer run` uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tracer::cli {

/// Shared memory that nobody uses any more, and that counts as this container's or job's.
struct LeftMemory {
  std::uint64_t bytes = 0;
  std::size_t runs = 0;
};

/// Recovers the dead runs that bear this launcher's mark (TRACER_LAUNCH). Returns what others have left.
LeftMemory recover_launched(const std::string& launch);

/// A line, when it is worth one.
void say_left_memory(const LeftMemory& left);

}  // namespace tracer::cli
