// SPDX-License-Identifier: BSD-3-Clause
// Any unwind table and any expression: rows and values, or a refusal; nothing is read but the table and the stack.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "support/frame_table.hpp"
#include "tracer/sample/call_frame.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace tracer;
using sample::Rule;

/// All values that a row has, of a stack of its own.
void follow(const sample::CallFrame& found) {
  std::vector<std::uint64_t> stack(32, 0x0102030405060708);
  sample::FrameState frame;
  const auto low = reinterpret_cast<std::uint64_t>(stack.data());
  for (std::size_t i = 0; i < sample::register_count; ++i) frame.registers[i] = low + 8 * i;
  const sample::StackBounds bounds{low, low + 8 * stack.size()};
  std::uint64_t value = 0;
  if (found.row.cfa_register >= sample::register_count) __builtin_trap();
  if (found.row.cfa.kind == Rule::value_of_expression) evaluate(found.row.cfa.expression, frame, 0, bounds, value);
  for (const Rule& rule : found.row.rules) {
    if (rule.kind == Rule::at_expression || rule.kind == Rule::value_of_expression)
      evaluate(rule.expression, frame, low, bounds, value);
    if (rule.kind == Rule::in_register && static_cast<std::size_t>(rule.offset) >= sample::register_count)
      __builtin_trap();
  }
}

}  // namespace

/// The first byte says where the function's entry begins, the second for which instruction a row is wanted.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t *const begin = data + 2, *const end = data + size, *const split = std::min(begin + data[0], end);
  const auto table = test::FrameTable::of({begin, split}, {split, end});
  sample::CallFrame found;
  if (read_call_frame(table.entry(), data[1], found)) follow(found);
  return 0;
}
