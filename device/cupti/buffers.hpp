// SPDX-License-Identifier: BSD-3-Clause
// The memory that CUPTI fills with activity records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tracer::device::cupti {

/// free -- lend --> CUPTI's -- complete --> delivered -- next --> being parsed -- give_back --> free
/// Any thread. CUPTI may keep what it was lent for ever: nothing is unmapped before release().
///
/// CUDA 13 has a buffer for each thread: the more are out, the smaller are the next ones. At the limit a piece of scrap
/// is lent, whose records are counted and not kept: CUPTI before 12.9 crashes on NULL.
class Buffers {
 public:
  struct Delivered {
    std::uint8_t* memory;
    std::size_t valid;
    bool is_scrap = false;
  };
  struct Lent {
    std::uint8_t* memory;
    std::size_t bytes;
    bool is_scrap;
  };
  Buffers(std::size_t bytes, std::size_t limit) noexcept;

  /// Always memory.
  Lent lend() noexcept;
  /// False: not one of ours, or nothing is in it.
  bool complete(std::uint8_t* memory, std::size_t valid) noexcept;
  std::optional<Delivered> next() noexcept;
  void give_back(std::uint8_t* memory) noexcept;
  /// How many CUPTI has, without scrap.
  std::size_t lent() const noexcept;
  /// Frees what CUPTI does not have.
  void release() noexcept;

 private:
  static constexpr unsigned classes = 3;  // of sizes
  struct Buffer {
    std::uint8_t* memory = nullptr;
    unsigned size_class = 0;
    bool is_scrap = false, is_lent = false;
  };
  unsigned class_wanted() const noexcept;
  Buffer* make(unsigned size_class, bool is_scrap);
  Buffer* take(unsigned size_class, bool is_scrap);
  Buffer* find(const std::uint8_t* memory) noexcept;

  std::size_t bytes_[classes], limit_, allocated_ = 0, lent_ = 0, scrap_ = 0;
  mutable std::mutex mutex_;
  std::deque<Buffer> all_;
  std::unordered_map<const std::uint8_t*, Buffer*> by_memory_;
  std::vector<Buffer*> free_[classes + 1];  // the last one is the scrap's
  std::vector<Delivered> delivered_;
};

/// Memory that CUPTI may write into at any time, also when nobody looks at it any more.
Buffers::Lent nobodys_buffer() noexcept;

}  // namespace tracer::device::cupti
