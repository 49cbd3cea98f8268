// SPDX-License-Identifier: BSD-3-Clause
// The unwinder of signals' handlers: tables written by hand, and this program's own.
#include <dlfcn.h>
#include <execinfo.h>
#include <ucontext.h>

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "support/frame_table.hpp"
#include "tracer/sample/call_frame.hpp"
#include "tracer/sample/frame_tables.hpp"
#include "tracer/sample/stack_walk.hpp"
#include "tracer/sample/unwind.hpp"

using namespace tracer::sample;
using tracer::test::FrameTable;

namespace {

constexpr std::uint8_t def_cfa = 0x0c, def_cfa_offset = 0x0e, advance_4 = 0x44, offset_of = 0x80, remember = 0x0a,
                       recall = 0x0b, restore = 0xc0, expression = 0x10, value_expression = 0x16, same = 0x08,
                       undefined = 0x07;
constexpr std::uint8_t return_column = register_count - 1;

/// On entry the return address is the word below the CFA; then a push of register 3, at instruction 4.
FrameTable pushes_a_register() {
  return {{def_cfa, stack_register, 8, offset_of | return_column, 1},
          {advance_4, def_cfa_offset, 16, offset_of | 3, 2}};
}

/// Addresses of the functions on the calling thread's stack, by the unwinder: from the caller of this on.
__attribute__((noinline)) std::vector<std::uint64_t> unwound() {
  ucontext_t context;
  ::getcontext(&context);
  const StackBounds bounds = own_stack_bounds();
  FrameState frame = interrupted_frame(&context);
  std::vector<std::uint64_t> found;
  while (found.size() < 64 && unwind(frame, {frame.stack(), bounds.high})) found.push_back(frame.code);
  return found;
}

struct Both {
  std::vector<std::uint64_t> ours;
  std::vector<void*> theirs;
};

__attribute__((noinline)) Both innermost() {
  Both both;
  both.theirs.resize(64);
  both.ours = unwound();
  both.theirs.resize(static_cast<std::size_t>(::backtrace(both.theirs.data(), 64)));
  return both;
}

/// A frame of unknown size.
__attribute__((noinline)) Both middle(std::size_t bytes) {
  auto* room = static_cast<volatile char*>(__builtin_alloca(bytes));
  room[bytes - 1] = 1;
  Both both = innermost();
  room[0] = static_cast<char>(both.ours.size());
  return both;
}

}  // namespace

TEST_CASE("a table says where the caller's registers are at each instruction") {
  const FrameTable table = pushes_a_register();
  CallFrame found;
  REQUIRE(read_call_frame(table.entry(), 0, found));
  CHECK(found.row.cfa_register == stack_register);
  CHECK(found.row.cfa.offset == 8);
  CHECK(found.row.rules[return_column].kind == Rule::at_offset);
  CHECK(found.row.rules[return_column].offset == -8);
  CHECK(found.row.rules[3].kind == Rule::same);
  CHECK(found.return_register == return_column);
  CHECK(!found.is_signal);
  REQUIRE(read_call_frame(table.entry(), 3, found));
  CHECK(found.row.cfa.offset == 8);
  REQUIRE(read_call_frame(table.entry(), 4, found));
  CHECK(found.row.cfa.offset == 16);
  CHECK(found.row.rules[3].offset == -16);
}

TEST_CASE("rows are remembered, recalled and restored") {
  const FrameTable table{{def_cfa, stack_register, 8, offset_of | return_column, 1, offset_of | 3, 5},
                         {remember, same, 3, undefined, 4, advance_4, restore | 3, advance_4, recall}};
  CallFrame found;
  REQUIRE(read_call_frame(table.entry(), 0, found));
  CHECK(found.row.rules[3].kind == Rule::same);
  CHECK(found.row.rules[4].kind == Rule::undefined);
  REQUIRE(read_call_frame(table.entry(), 4, found));
  CHECK(found.row.rules[3].kind == Rule::at_offset);
  CHECK(found.row.rules[3].offset == -40);
  REQUIRE(read_call_frame(table.entry(), 8, found));
  CHECK(found.row.rules[3].kind == Rule::at_offset);
  CHECK(found.row.rules[4].kind == Rule::same);
}

TEST_CASE("tables that are damaged or not known are refused") {
  CallFrame found;
  const auto refused = [&](const FrameTable& table) { return !read_call_frame(table.entry(), 100, found); };
  CHECK(refused({{def_cfa, stack_register, 8}, {recall}}));
  CHECK(refused({{def_cfa, stack_register, 8}, {remember, remember, remember}}));
  CHECK(refused({{restore | 3}, {}}));              // of what there is no first row yet
  CHECK(refused({{def_cfa, stack_register}, {}}));  // cut
  CHECK(refused({{def_cfa, 77, 8}, {}}));           // no such register
  CHECK(refused({{}, {0x3f}}));                     // no such instruction
  CHECK(refused({{}, {expression, 3, 100}}));       // an expression longer than the table
  CHECK(refused(FrameTable{{}, {}, "zX"}));         // no such augmentation
  CHECK(!refused(FrameTable{{}, {}, "zR"}));
  FrameTable unterminated{{}, {}};
  for (std::size_t cut = 4; cut < 16; ++cut) {
    unterminated.cut_common(cut);
    read_call_frame(unterminated.entry(), 0, found);  // reads nothing beyond (AddressSanitizer sees it)
  }
}

TEST_CASE("expressions compute with registers and words of the stack, and read nothing else") {
  std::uint64_t words[4] = {11, 22, 33, 44};
  FrameState frame;
  frame.registers[3] = reinterpret_cast<std::uint64_t>(words);
  const StackBounds bounds{frame.registers[3], frame.registers[3] + sizeof words};
  std::uint64_t value = 0;
  const auto gives = [&](std::vector<std::uint8_t> bytes) {
    value = 0;
    return evaluate({bytes.data(), bytes.data() + bytes.size()}, frame, 5, bounds, value);
  };
  REQUIRE(gives({}));
  CHECK(value == 5);
  REQUIRE(gives({0x73, 16, 0x06}));  // breg3 16, deref
  CHECK(value == 33);
  REQUIRE(gives({0x23, 0x81, 0x01}));  // plus_uconst 129
  CHECK(value == 134);
  REQUIRE(gives({0x33, 0x24}));  // lit3, shl
  CHECK(value == 40);
  REQUIRE(gives({0x31, 0x1c, 0x3f, 0x1a}));  // lit1, minus, lit15, and
  CHECK(value == 4);
  CHECK(!gives({0x73, 25, 0x06}));                     // a word that ends beyond the stack
  CHECK(!gives({0x73, 0x78, 0x06}));                   // breg3 -8
  CHECK(!gives({0x06}));                               // 5 is no address
  CHECK(!gives({0x22}));                               // one operand
  CHECK(!gives({0x9f}));                               // no such operation
  CHECK(!gives({0x73}));                               // cut
  CHECK(!gives(std::vector<std::uint8_t>(20, 0x31)));  // too deep
}

TEST_CASE("the unwinder goes up this program's own stack as the C library does") {
  if (!can_find_tables()) SKIP_TEST("unwinding: this C library finds no tables without a lock");
  for (const std::size_t bytes : {std::size_t{16}, std::size_t{1000}, std::size_t{40000}}) {
    const Both both = middle(bytes);
    // The first is in innermost(), at another call of it (a sanitizer's is around the other); then all are the same.
    REQUIRE(both.ours.size() >= 4);
    REQUIRE(both.theirs.size() >= 4);
    std::vector<std::uint64_t> theirs;
    for (const void* address : both.theirs) theirs.push_back(reinterpret_cast<std::uint64_t>(address));
    const auto first = std::find(theirs.begin(), theirs.end(), both.ours[1]);
    CHECK(first - theirs.begin() <= 2);
    theirs.erase(theirs.begin(), first);
    CHECK(std::vector<std::uint64_t>(both.ours.begin() + 1, both.ours.end()) == theirs);
  }
}

TEST_CASE("the unwinder stops at the stack's bounds, and where there is no table") {
  if (!can_find_tables()) return;
  ucontext_t context;
  ::getcontext(&context);
  FrameState frame = interrupted_frame(&context);
  const FrameState before = frame;
  CHECK(!unwind(frame, {frame.stack(), frame.stack() + 8}));
  CHECK(frame.code == before.code);
  CHECK(frame.registers == before.registers);
  std::uint64_t data = 0;
  frame.code = reinterpret_cast<std::uint64_t>(&data);
  CHECK(!unwind(frame, own_stack_bounds()));
  frame.code = 0;
  CHECK(!unwind(frame, own_stack_bounds()));
}
