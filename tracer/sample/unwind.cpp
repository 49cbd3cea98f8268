// SPDX-License-Identifier: BSD-3-Clause
// See unwind.hpp. Names are DWARF's.
#include "tracer/sample/unwind.hpp"

#include <ucontext.h>

#include <cstring>

#include "tracer/sample/call_frame.hpp"
#include "tracer/sample/frame_tables.hpp"

namespace tracer::sample {
namespace {

/// The value that a rule gives the caller's register.
bool recover(const CallFrame& table, std::size_t which, const FrameState& frame, std::uint64_t cfa,
             const StackBounds& bounds, std::uint64_t& value) noexcept {
  const Rule& rule = table.row.rules[which];
  std::uint64_t address = cfa + static_cast<std::uint64_t>(rule.offset);
  switch (rule.kind) {
    case Rule::same:
      value = frame.registers[which];
      return true;
    case Rule::undefined:
      return false;
    case Rule::in_register:
      value = frame.registers[static_cast<std::size_t>(rule.offset)];
      return true;
    case Rule::value_of_offset:
      value = address;
      return true;
    case Rule::value_of_expression:
      return evaluate(rule.expression, frame, cfa, bounds, value);
    case Rule::at_expression:
      if (!evaluate(rule.expression, frame, cfa, bounds, address)) return false;
      break;
    case Rule::at_offset:
      break;
  }
  if (!bounds.has_word(address)) return false;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return true;
}

// A return address may be the next function's: a call that does not return ends its own.
bool find_table(const FrameState& frame, CallFrame& table) noexcept {
  const std::uint64_t code = frame.code - (frame.was_interrupted ? 0 : 1);
  const FrameEntry entry = find_frame_entry(code);
  return entry.description != nullptr && read_call_frame(entry.description, code - entry.function, table) &&
         code - entry.function < table.size;
}

bool find_cfa(const Row& row, const FrameState& frame, const StackBounds& bounds, std::uint64_t& cfa) noexcept {
  if (row.cfa.kind == Rule::value_of_expression) return evaluate(row.cfa.expression, frame, 0, bounds, cfa);
  cfa = frame.registers[row.cfa_register] + static_cast<std::uint64_t>(row.cfa.offset);
  return true;
}

}  // namespace

#if defined(__x86_64__)
FrameState interrupted_frame(const void* context) noexcept {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr int in_order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  FrameState frame;
  for (std::size_t i = 0; i < 16; ++i) frame.registers[i] = static_cast<std::uint64_t>(registers[in_order[i]]);
  frame.code = static_cast<std::uint64_t>(registers[REG_RIP]);
  frame.registers[16] = frame.code;
  return frame;
}
#elif defined(__aarch64__)
FrameState interrupted_frame(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  FrameState frame;
  for (std::size_t i = 0; i < 31; ++i) frame.registers[i] = machine.regs[i];
  frame.registers[31] = machine.sp;
  frame.registers[32] = frame.code = machine.pc;
  return frame;
}
#else
FrameState interrupted_frame(const void*) noexcept {
  return {};
}
#endif

bool has_table(const FrameState& frame) noexcept {
  CallFrame table;
  return find_table(frame, table);
}

bool is_outermost(const FrameState& frame) noexcept {
  CallFrame table;
  return find_table(frame, table) && table.row.rules[table.return_register].kind == Rule::undefined;
}

bool unwind(FrameState& frame, const StackBounds& bounds) noexcept {
  CallFrame table;
  if (!find_table(frame, table)) return false;
  std::uint64_t cfa = 0;
  // What was interrupted may take nothing of the stack: its return address is in a register (AArch64).
  const std::uint64_t least = frame.stack() + (frame.was_interrupted ? 0 : 1);
  if (!find_cfa(table.row, frame, bounds, cfa) || cfa < least || cfa > bounds.high) return false;
  FrameState caller;
  if (!recover(table, table.return_register, frame, cfa, bounds, caller.code) || caller.code == 0) return false;
  for (std::size_t i = 0; i < register_count; ++i) {
    if (!recover(table, i, frame, cfa, bounds, caller.registers[i])) caller.registers[i] = 0;
  }
  if (table.row.rules[stack_register].kind == Rule::same) caller.registers[stack_register] = cfa;
  caller.was_interrupted = table.is_signal;
  if (caller.stack() < least) return false;
  frame = caller;
  return true;
}

}  // namespace tracer::sample
