// SPDX-License-Identifier: BSD-3-Clause
// Reads a frame description entry of .eh_frame: where the caller's registers are at one instruction (DWARF 5, 6.4; the
// augmentations as in the Linux Standard Base). Async-signal-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/sample/unwind.hpp"

namespace tracer::sample {

/// A DWARF expression: bytes in the table.
struct Expression {
  const std::uint8_t *begin = nullptr, *end = nullptr;
};

struct Rule {
  enum Kind : std::uint8_t {
    same,
    undefined,
    at_offset,        ///< at CFA + offset
    value_of_offset,  ///< CFA + offset
    in_register,      ///< the one of number `offset`
    at_expression,
    value_of_expression,
  };
  Kind kind = same;
  std::int64_t offset = 0;
  Expression expression;
};

/// What holds at one instruction. The CFA is cfa_register + cfa.offset, or an expression's value.
struct Row {
  std::array<Rule, register_count> rules;
  Rule cfa;
  std::size_t cfa_register = stack_register;
};

struct CallFrame {
  Row row;
  std::size_t return_register = 0;
  std::uint64_t size = 0;  ///< of the function, in bytes
  bool is_signal = false;  ///< the kernel's frame: what is around it was interrupted
};

/// Of the instruction `offset` bytes behind the function's beginning. False for what is damaged or not known.
bool read_call_frame(const void* fde, std::uint64_t offset, CallFrame& found) noexcept;

/// `pushed`: what lies on the expression's stack at first.
bool evaluate(const Expression& expression, const FrameState& frame, std::uint64_t pushed, const StackBounds& bounds,
              std::uint64_t& value) noexcept;

}  // namespace tracer::sample
