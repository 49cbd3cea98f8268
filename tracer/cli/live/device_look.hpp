// SPDX-License-Identifier: BSD-3-Clause
// What a device did between two looks at a running program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tracer::cli {

struct DeviceLook {
  std::uint64_t kernels = 0, copies = 0, to = 0, from = 0;  ///< count, bytes
  double kernel_time = 0, copy_time = 0;                    ///< added up
  std::size_t streams = 0;                                  ///< of the host: threads that launched or copied
  std::uint64_t memory = 0;                                 ///< bytes in use by now
  bool by_host = false;                                     ///< what the host requested; its times are upper bounds
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
