// SPDX-License-Identifier: BSD-3-Clause
// Who called a system call: the C library's functions for them keep no frame, and frame pointers skip their caller.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace tracer::sample {

/// Reads the process' own code, by the kernel: what is no longer mapped does no harm. One thread at a time.
class SystemCalls {
 public:
  /// `address` is behind a system call's instruction, and `top`, the stack's top word then, a return address.
  bool has_caller(std::uint64_t address, std::uint64_t top);

 private:
  std::unordered_map<std::uint64_t, bool> is_behind_call_;  ///< of a system call, by address
  std::unordered_map<std::uint64_t, bool> is_return_;       ///< by word
};

}  // namespace tracer::sample
