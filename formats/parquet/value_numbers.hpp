// SPDX-License-Identifier: BSD-3-Clause
// The dictionary of a column of numbers: durations, places and kinds come again and again.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tracer::parquet {

/// Numbers values in the order in which they come. Open addressing; one thread.
class ValueNumbers {
 public:
  std::uint32_t number(std::int64_t value) {
    if (values_.size() * 2 >= slots_.size()) [[unlikely]]
      grow();
    Slot& slot = slot_of(value);
    if (slot.next == 0) [[unlikely]] {
      values_.push_back(value);
      slot = {value, static_cast<std::uint32_t>(values_.size())};
    }
    return slot.next - 1;
  }
  const std::vector<std::int64_t>& values() const noexcept { return values_; }
  std::size_t size() const noexcept { return values_.size(); }
  /// Of memory.
  std::size_t bytes() const noexcept {
    return values_.capacity() * sizeof(std::int64_t) + slots_.size() * sizeof(Slot);
  }

 private:
  struct Slot {
    std::int64_t value = 0;
    std::uint32_t next = 0;  ///< the number behind its own; 0: the slot is free
  };
  Slot& slot_of(std::int64_t value) noexcept {
    const std::uint64_t mixed = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u;
    auto place = static_cast<std::size_t>(mixed >> (64 - std::countr_zero(slots_.size())));
    while (slots_[place].next != 0 && slots_[place].value != value) place = (place + 1) & (slots_.size() - 1);
    return slots_[place];
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, {});
    for (std::size_t i = 0; i < values_.size(); ++i)
      slot_of(values_[i]) = {values_[i], static_cast<std::uint32_t>(i + 1)};
  }

  std::vector<std::int64_t> values_;
  std::vector<Slot> slots_;  ///< a power of two
};

}  // namespace tracer::parquet
