// SPDX-License-Identifier: BSD-3-Clause
// Text of facts, built with no call of the program's allocator but those for memory.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "tracer/rank_ranges.hpp"

namespace tracer::mpi {

/// Text that grows; what there is no memory for is left out.
class Text {
 public:
  Text() = default;
  ~Text() { std::free(data_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) noexcept {
    for (;;) {
      std::va_list values;
      va_start(values, format);
      const int length = std::vsnprintf(data_ + length_, room_ - length_, format, values);
      va_end(values);
      if (length < 0) return;
      if (length_ + static_cast<std::size_t>(length) < room_) {
        length_ += static_cast<std::size_t>(length);
        return;
      }
      const std::size_t wanted = 2 * room_ + static_cast<std::size_t>(length) + 64;
      auto* const more = static_cast<char*>(std::realloc(data_, wanted));
      if (more == nullptr) return;
      data_ = more;
      room_ = wanted;
    }
  }
  /// "0-3,8-20:4" (8, 12, 16, 20). A rank below 0 stands alone.
  void add_ranges(const int* ranks, int size) noexcept {
    const char* separator = "";
    each_range(ranks, size > 0 ? static_cast<std::size_t>(size) : 0, [&](int first, int last, int step) {
      add("%s%d", separator, first);
      if (last > first) add("-%d", last);
      if (last > first && step > 1) add(":%d", step);
      separator = ",";
    });
  }
  const char* get() const noexcept { return data_ != nullptr ? data_ : ""; }
  /// For good.
  const char* keep() noexcept {
    const char* const kept = get();
    data_ = nullptr;
    length_ = room_ = 0;
    return kept;
  }

 private:
  char* data_ = nullptr;
  std::size_t length_ = 0, room_ = 0;
};

}  // namespace tracer::mpi
