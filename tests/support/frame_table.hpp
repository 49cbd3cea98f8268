// SPDX-License-Identifier: BSD-3-Clause
// An unwind table of one function (.eh_frame): a common entry and its function's, in memory that ends with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tracer/sample/unwind.hpp"

namespace tracer::test {

class FrameTable {
 public:
  using Bytes = std::vector<std::uint8_t>;

  /// `initial`: the common entry's instructions; `own`: the function's. Code is counted in bytes, data in -8.
  FrameTable(Bytes initial, Bytes own, const std::string& augmentation = "zR") {
    Bytes common{0, 0, 0, 0, 1};  // id, version
    common.insert(common.end(), augmentation.begin(), augmentation.end());
    common.push_back(0);
    common.insert(common.end(), {1, 0x78, static_cast<std::uint8_t>(sample::register_count - 1)});
    if (!augmentation.empty()) common.insert(common.end(), {1, 0x1b});  // pointers of 4 bytes, relative
    common.insert(common.end(), initial.begin(), initial.end());
    Bytes function(8, 0);  // where it is, its size
    if (!augmentation.empty()) function.push_back(0);
    function.insert(function.end(), own.begin(), own.end());
    assemble(common, function);
  }
  /// Any bytes behind the lengths and the distance, which are right.
  static FrameTable of(Bytes common, Bytes function) {
    FrameTable table;
    table.assemble(common, function);
    return table;
  }
  const void* entry() const { return bytes_.get() + entry_; }
  /// The common entry says that it is so long behind its length.
  void cut_common(std::size_t length) {
    const auto field = static_cast<std::uint32_t>(length);
    std::memcpy(bytes_.get(), &field, sizeof field);
  }

 private:
  FrameTable() = default;
  void assemble(const Bytes& common, const Bytes& function) {
    entry_ = 4 + common.size();
    size_ = entry_ + 8 + function.size();
    bytes_ = std::make_unique<std::uint8_t[]>(size_);
    put(0, common.size());
    std::copy(common.begin(), common.end(), bytes_.get() + 4);
    put(entry_, 4 + function.size());
    put(entry_ + 4, entry_ + 4);  // from there back to the common entry
    std::copy(function.begin(), function.end(), bytes_.get() + entry_ + 8);
  }
  void put(std::size_t at, std::size_t value) {
    const auto field = static_cast<std::uint32_t>(value);
    std::memcpy(bytes_.get() + at, &field, sizeof field);
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t entry_ = 0, size_ = 0;
};

}  // namespace tracer::test
