// SPDX-License-Identifier: BSD-3-Clause
// See calls.hpp.
#include "tracer/python/calls.hpp"
#include "tracer/range_language.hpp"
#include "tracer/record.hpp"

namespace tracer::python {
namespace {

/// Deeper calls are counted only.
constexpr std::uint32_t most_depth = 1024;

thread_local std::uint32_t depth = 0;
thread_local std::uint32_t open[most_depth];  ///< their names

void leave_one() noexcept {
  if (--depth < most_depth)
    tracer->emit(TRACER_WORD(RecordKind::range_pop, Endpoint::end, range_language::python), 0, 0, 0);
}

}  // namespace

const Interpreter* python = nullptr;
const tracer_front_end* tracer = nullptr;

void enter(std::uint32_t name) noexcept {
  if (depth < most_depth) {
    open[depth] = name;
    tracer->emit(TRACER_WORD(RecordKind::range_push, Endpoint::begin, range_language::python), name, 0, 0);
  }
  ++depth;
}

void leave(std::uint32_t name) noexcept {
  if (depth > most_depth) return leave_one();
  for (std::uint32_t at = depth; at-- != 0;) {
    if (open[at] != name) continue;
    if (const std::uint32_t above = depth - at - 1; above != 0) tracer->count("python.calls_cut_short", above);
    while (depth > at) leave_one();
    return;
  }
}

bool has_open_calls() noexcept {
  return depth != 0;
}

void leave_all() noexcept {
  while (depth != 0) leave_one();
}

void forget_calls() noexcept {
  depth = 0;
}

}  // namespace tracer::python
