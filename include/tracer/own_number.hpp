// SPDX-License-Identifier: BSD-3-Clause
// Numbers that several owners assign independently, starting at the same value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracer {

/// Of an operation, a lock, a task: unique only together with its owner, a process (which numbers its device
/// operations) or a location (matching ids).
struct OwnNumber {
  std::uint64_t owner = 0;
  std::uint64_t number = 0;
  bool operator==(const OwnNumber&) const = default;

  struct Hash {
    std::size_t operator()(const OwnNumber& key) const noexcept {
      return static_cast<std::size_t>((key.owner * 0x9e3779b97f4a7c15u) ^ (key.number * 0xff51afd7ed558ccdu >> 17) ^
                                      key.number);
    }
  };
};

}  // namespace tracer
