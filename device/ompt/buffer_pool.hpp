// SPDX-License-Identifier: BSD-3-Clause
// The memory that runtimes fill with trace records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace tracer::device::ompt {

/// Buffers are recycled and never unmapped while the pool lives: AMD's runtime may still write into
/// one that it handed back only when it became full, and completions can arrive late. Any thread.
///
///   free -- take --> out -- hand_over --> waiting -- give_back --> free
///                     `------- give_back ------------------------^
class BufferPool {
 public:
  BufferPool(std::size_t buffer_bytes, std::size_t limit_bytes) noexcept
      : buffer_bytes_(buffer_bytes), limit_bytes_(limit_bytes) {}

  std::size_t buffer_bytes() const noexcept { return buffer_bytes_; }
  /// nullptr at the limit or without memory.
  void* take(unsigned owner) noexcept;
  /// Complete, to be parsed later: a second completion of it is refused. False: was not out.
  bool hand_over(void* buffer) noexcept;
  /// False: not a buffer of ours that is out or waiting.
  bool give_back(void* buffer) noexcept;
  bool is_out(void* buffer) const noexcept;
  std::size_t out(unsigned owner) const noexcept;

 private:
  struct Delete {
    void operator()(std::byte* memory) const noexcept { ::operator delete(memory, alignment); }
  };
  static constexpr std::align_val_t alignment{64};
  static constexpr unsigned nobody = ~0u, waiting = ~1u;

  std::size_t buffer_bytes_, limit_bytes_;
  mutable std::mutex mutex_;
  std::map<void*, unsigned> owners_;  // of all buffers; nobody: free
  std::vector<std::unique_ptr<std::byte, Delete>> memory_;
  std::vector<void*> free_;
};

}  // namespace tracer::device::ompt
