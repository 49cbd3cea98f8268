// SPDX-License-Identifier: BSD-3-Clause
// Numbers in as few bytes as they need, written once and read from the front: tables that grow with the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tracer::translate {

/// Signed differences, small ones of either sign as small numbers.
constexpr std::uint64_t zigzag(std::int64_t n) noexcept {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t n) noexcept {
  return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
}

/// One thread writes, then any may read. Never moves what was written.
class ByteLog {
 public:
  /// 1 byte for 7 bits. Throws std::bad_alloc.
  void put(std::uint64_t number) {
    if (blocks_.empty() || capacity_ - blocks_.back().size < longest) [[unlikely]]
      add_block();
    Block& last = blocks_.back();
    std::uint8_t* at = last.bytes.get() + last.size;
    for (; number >= 0x80; number >>= 7) *at++ = static_cast<std::uint8_t>(number | 0x80);
    *at++ = static_cast<std::uint8_t>(number);
    last.size = static_cast<std::size_t>(at - last.bytes.get());
  }

  /// From the first number on. Not beyond the last: their writer has their number.
  class Reader {
   public:
    explicit Reader(const ByteLog& log) : log_(&log) {}
    std::uint64_t get() {
      if (at_ == end_) [[unlikely]]
        next_block();
      const std::uint8_t* at = at_;
      std::uint64_t number = *at++;
      for (unsigned shift = 7; at[-1] >= 0x80; shift += 7)  // the flag goes as the next byte comes
        number += (std::uint64_t{*at++} - 1) << shift;
      at_ = at;
      return number;
    }

   protected:
    void next_block() {
      const Block& block = log_->blocks_[block_++];
      at_ = block.bytes.get();
      end_ = at_ + block.size;
    }
    const ByteLog* log_;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::size_t block_ = 0;  ///< the next one
  };

  /// Frees what it has read.
  class Consumer : public Reader {
   public:
    explicit Consumer(ByteLog& log) : Reader(log), owned_(&log) {}
    std::uint64_t get() {
      const std::size_t before = block_;
      const std::uint64_t number = Reader::get();
      if (block_ != before && before != 0) [[unlikely]]
        owned_->blocks_[before - 1].bytes.reset();
      return number;
    }

   private:
    ByteLog* owned_;
  };

 private:
  struct Block {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t size = 0;  ///< of what was written
  };
  static constexpr std::size_t smallest = 64, largest = 64 << 10;
  static constexpr std::size_t longest = 10;  ///< of a number, which is in one block

  void add_block() {
    // The first ones small: there can be 10,000 threads.
    capacity_ = blocks_.empty() ? smallest : capacity_ < largest ? capacity_ * 4 : largest;
    blocks_.push_back({std::unique_ptr<std::uint8_t[]>(new std::uint8_t[capacity_]), 0});
  }

  std::vector<Block> blocks_;
  std::size_t capacity_ = 0;  ///< of the last block
};

}  // namespace tracer::translate
