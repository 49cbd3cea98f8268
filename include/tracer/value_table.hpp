// SPDX-License-Identifier: BSD-3-Clause
// Values by the small numbers of an enumeration, looked up in an array.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>

namespace tracer {

/// `size`: one more than the largest number that has a row; a larger number in a row does not compile.
template <class Number, class Value, std::size_t size>
class ValueTable {
 public:
  struct Row {
    Number number;
    Value value;
  };
  constexpr ValueTable(Value otherwise, std::initializer_list<Row> rows) : otherwise_{otherwise} {
    values_.fill(otherwise);
    for (const Row& row : rows) values_.at(static_cast<std::size_t>(row.number)) = row.value;
  }
  /// `otherwise` of a number without a row.
  constexpr Value operator[](Number number) const noexcept {
    const auto i = static_cast<std::size_t>(number);
    return i < size ? values_[i] : otherwise_;
  }
  /// Whether each number has a row with another value than `otherwise`.
  constexpr bool is_complete() const noexcept {
    for (const Value& value : values_)
      if (value == otherwise_) return false;
    return true;
  }

 private:
  std::array<Value, size> values_{};
  Value otherwise_;
};

}  // namespace tracer
