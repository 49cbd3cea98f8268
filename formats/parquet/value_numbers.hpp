// SPDX-License-Identifier: BSD-3-Clause
// The dictionary of a column of numbers: durations, places and kinds come again and again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tracer::parquet {

/// Numbers values in the order in which they come, from 0. One thread.
class ValueNumbers {
 public:
  std::uint32_t number(std::int64_t value) {
    if (static_cast<std::uint64_t>(value) < small_size_) [[likely]] {
      const std::uint16_t next = small_[static_cast<std::size_t>(value)];
      if (next != 0) [[likely]]
        return next - 1u;
    }
    return look_up(value);
  }
  const std::vector<std::int64_t>& values() const noexcept { return values_; }
  std::size_t size() const noexcept { return values_.size(); }
  /// Of memory.
  std::size_t bytes() const noexcept {
    return values_.capacity() * sizeof(std::int64_t) + slots_.size() * sizeof(std::uint32_t) +
           small_.size() * sizeof(std::uint16_t);
  }

 private:
  /// Most durations are below, in ns.
  static constexpr std::size_t small_values = 8192;

  std::uint32_t look_up(std::int64_t value) {
    if (values_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& slot = slot_of(value);
    if (slot == 0) {
      values_.push_back(value);
      slot = static_cast<std::uint32_t>(values_.size());
    }
    if (static_cast<std::uint64_t>(value) < small_size_ && slot <= UINT16_MAX)
      small_[static_cast<std::size_t>(value)] = static_cast<std::uint16_t>(slot);
    return slot - 1;
  }
  std::uint32_t& slot_of(std::int64_t value) noexcept {
    const std::uint64_t mixed = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u;
    auto place = static_cast<std::size_t>(mixed >> (64 - std::countr_zero(slots_.size())));
    while (slots_[place] != 0 && values_[slots_[place] - 1] != value) place = (place + 1) & (slots_.size() - 1);
    return slots_[place];
  }
  void grow() {
    if (small_size_ == 0) {
      small_.resize(small_values);
      small_size_ = small_values;
    }
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
    for (std::size_t i = 0; i < values_.size(); ++i) slot_of(values_[i]) = static_cast<std::uint32_t>(i + 1);
  }

  std::vector<std::int64_t> values_;
  std::vector<std::uint32_t> slots_;  ///< by hash: numbers + 1, 0 free; open addressing, a power of two
  std::vector<std::uint16_t> small_;  ///< by value: the same, of some that are in slots_ too
  std::size_t small_size_ = 0;        ///< of small_, read for each value
};

}  // namespace tracer::parquet
