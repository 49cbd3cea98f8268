// SPDX-License-Identifier: BSD-3-Clause
// What a device did between two looks at a running program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace tracer::cli {

struct DeviceLook {
  std::uint64_t kernels = 0, copies = 0, to = 0, from = 0;  ///< count, bytes
  double kernel_time = 0, copy_time = 0;                    ///< added up
  double open_time = 0;                                     ///< of the host: of kernels that go on
  double running = 0;                                       ///< kernels at once, on average
  std::size_t streams = 0;                                  ///< of the host: threads that launched or copied
  std::uint64_t memory = 0;                                 ///< bytes in use by now
  bool by_host = false;                                     ///< what the host requested; its times are upper bounds
};

/// How many kernels ran at once, on average over the time that the records of a look tell of. A record comes when its
/// operation has ended, and later: that time ends with the last operation of this look, and begins where that of the
/// looks before ended.
class KernelsRunning {
 public:
  void begin_look() {
    shown_ = last_;
    first_ = std::numeric_limits<std::uint64_t>::max();
    sum_ = 0;
  }
  /// On any clock, which is that of all of them.
  void ended(std::uint64_t start, std::uint64_t end, bool is_kernel) {
    first_ = std::min(first_, start);
    last_ = std::max(last_, end);
    if (is_kernel) sum_ += end - std::min(end, std::max(start, shown_));
  }
  double average() const {
    const std::uint64_t since = shown_ != 0 ? shown_ : first_;
    return last_ > since ? static_cast<double>(sum_) / static_cast<double>(last_ - since) : 0;
  }

 private:
  std::uint64_t shown_ = 0, last_ = 0;  ///< 0: nothing has come
  std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max(), sum_ = 0;
};

/// Memory of a device by its addresses there.
class Allocations {
 public:
  void allocated(std::uint64_t address, std::uint64_t bytes) {
    auto& known = sizes_[address];
    in_use_ += bytes - known;
    known = bytes;
  }
  void freed(std::uint64_t address) {
    const auto known = sizes_.find(address);
    if (known == sizes_.end()) return;
    in_use_ -= known->second;
    sizes_.erase(known);
  }
  std::uint64_t in_use() const { return in_use_; }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> sizes_;
  std::uint64_t in_use_ = 0;
};

}  // namespace tracer::cli
