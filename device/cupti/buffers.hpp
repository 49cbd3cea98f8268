// SPDX-License-Identifier: BSD-3-Clause
// The memory that CUPTI fills with activity records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace tracer::device::cupti {

/// free -- lend --> CUPTI's -- complete --> delivered -- next --> being parsed -- give_back --> free
/// Any thread. CUPTI may keep what it was lent for ever: nothing is unmapped before release().
class Buffers {
 public:
  struct Delivered {
    std::uint8_t* memory;
    std::size_t valid;
  };
  Buffers(std::size_t bytes, std::size_t limit) noexcept;

  std::size_t bytes() const noexcept { return bytes_; }
  /// nullptr at the limit or without memory: CUPTI then drops records and counts them.
  std::uint8_t* lend() noexcept;
  /// False: not one of ours, or nothing is in it.
  bool complete(std::uint8_t* memory, std::size_t valid) noexcept;
  std::optional<Delivered> next() noexcept;
  void give_back(std::uint8_t* memory) noexcept;
  /// How many CUPTI has.
  std::size_t lent() const noexcept;
  /// Frees what CUPTI does not have.
  void release() noexcept;

 private:
  std::size_t bytes_, limit_;
  mutable std::mutex mutex_;
  std::vector<std::uint8_t*> all_, free_, lent_;
  std::vector<Delivered> delivered_;
};

}  // namespace tracer::device::cupti
