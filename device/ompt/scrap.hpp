// SPDX-License-Identifier: BSD-3-Clause
// Where a runtime writes when there is no memory for its records: AMD's crashes on a NULL buffer.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tracer::device::ompt {

/// Pieces that are handed out one by one, so that what is in them can be counted; when all are out the first one is
/// given to several, and its content means nothing. Any thread. Memory that is never written to costs address space
/// only.
class Scrap {
 public:
  static constexpr std::size_t piece_bytes = std::size_t{8} << 10;  // some seventy records of 112 bytes

  bool allocate() noexcept {
    if (!memory_) memory_.reset(new (std::nothrow) std::byte[pieces * piece_bytes]);
    out_ = 0;
    shared_ = false;
    return memory_ != nullptr;
  }
  void* take() noexcept {
    for (auto out = out_.load(); ~out != 0;) {
      const auto piece = static_cast<unsigned>(std::countr_one(out));
      if (out_.compare_exchange_weak(out, out | std::uint64_t{1} << piece)) return memory_.get() + piece * piece_bytes;
    }
    shared_ = true;
    return memory_.get();
  }
  bool holds(const void* buffer) const noexcept {
    const auto* at = static_cast<const std::byte*>(buffer);
    return memory_ && at >= memory_.get() && at < memory_.get() + pieces * piece_bytes;
  }
  /// Is its content one runtime thread's?
  bool is_readable(const void* buffer) const noexcept { return !shared_ || buffer != memory_.get(); }
  void give_back(const void* buffer) noexcept {
    const auto piece = static_cast<std::size_t>(static_cast<const std::byte*>(buffer) - memory_.get()) / piece_bytes;
    if (is_readable(buffer)) out_.fetch_and(~(std::uint64_t{1} << piece));
  }

 private:
  static constexpr std::size_t pieces = 64;
  std::unique_ptr<std::byte[]> memory_;
  std::atomic<std::uint64_t> out_{0};  // a bit for each piece
  std::atomic<bool> shared_{false};
};

}  // namespace tracer::device::ompt
