// SPDX-License-Identifier: BSD-3-Clause
// Taskloops. They are recorded as their tasks' creation, with the group that waits for them; a task's own creation when
// it begins to run.
#include <bit>
#include <cstdint>

#include "tracer/gomp/loops.hpp"
#include "tracer/gomp/tail.hpp"
#include "tracer/gomp/tasks.hpp"

namespace tracer::gomp {
namespace {

void record_taskloop(const Header& header, ompt_scope_endpoint_t at) noexcept {
  ompt_data_t task = word_of(thread.task);
  on.work(static_cast<ompt_work_t>(work_type::taskloop), at, nullptr, &task, header.count, header.code);
}

void end_taskloop(const Header& header) noexcept {
  record_taskloop(header, ompt_scope_end);
  if (header.has_group) wait_ends(sync_kind::taskgroup, header.code);
}
/// Of one that the program has left by a jump.
[[gnu::cold]] void end_left(void* left) noexcept {
  const Header& header = *static_cast<Header*>(left);
  end_left_task(thread, header.creator);
  end_taskloop(header);
}
[[gnu::noinline]] void begin_taskloop(Header& header, const void* code, unsigned flags, std::uint64_t count) noexcept {
  header.code = code;
  header.count = count;
  header.flags = static_cast<std::uint32_t>(task_flags(flags, (flags & flag_if) == 0));
  header.carried = 2;
  header.has_group = (flags & flag_no_group) == 0;
  if (header.has_group) wait_begins(sync_kind::taskgroup, code);
  record_taskloop(header, ompt_scope_begin);
  Rooms::when_left(room_of(header), &end_left, &header);
}

[[gnu::noinline]] void end_and_give_back(Header* header) noexcept {
  end_taskloop(*header);
  give_back(header);
}

/// Keeps as little on the stack as it can. The arguments are the entry point's, so that it can be jumped to, but for
/// the third.
template <class Number>
using Taskloop = void (*)(Function, void*, Copy, long, long, unsigned, unsigned long, int, Number, Number, Number);
template <class Number>
[[gnu::noinline]] void call_taskloop(Function, void* header, Copy gomp_taskloop, long size, long alignment,
                                     unsigned flags, unsigned long tasks, int priority, Number start, Number end,
                                     Number step) {
  const Copy copy = static_cast<Header*>(header)->given;
  std::bit_cast<Taskloop<Number>>(gomp_taskloop)(&run_with_header, header, copy, size, alignment, flags, tasks,
                                                 priority, start, end, step);
  end_and_give_back(static_cast<Header*>(header));
}

std::uint64_t loop_count(const Site& site, long start, long end, long step, unsigned) noexcept {
  return loop_work(site, start, end, step, 0).count;
}
std::uint64_t loop_count(const Site& site, Unsigned start, Unsigned end, Unsigned step, unsigned flags) noexcept {
  return loop_work(site, (flags & flag_up) != 0, start, end, step, 0).count;
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;

#define TRACER_DEFINE(name, number)                                                                                    \
  void name(Function function, void* data, Copy copy, long size, long alignment, unsigned flags, unsigned long tasks,  \
            int priority, number start, number end, number step) {                                                     \
    TRACER_GOMP_ENTER_OUTLINED(name, function, data, copy, size, alignment, flags, tasks, priority, start, end, step); \
    Header* const header = new_header(TRACER_GOMP_FRAME, function, data, copy, size, alignment, flags);                \
    if (header == nullptr) [[unlikely]]                                                                                \
      return site.runtime->name(function, data, copy, size, alignment, flags, tasks, priority, start, end, step);      \
    begin_taskloop(*header, site.code, flags, loop_count(site, start, end, step, flags));                              \
    TRACER_TAIL return call_taskloop<number>(function, header, std::bit_cast<Copy>(site.runtime->name),                \
                                             size + header->offset, alignment_of(alignment), flags, tasks, priority,   \
                                             start, end, step);                                                        \
  }
TRACER_DEFINE(GOMP_taskloop, long)
TRACER_DEFINE(GOMP_taskloop_ull, Unsigned)
#undef TRACER_DEFINE
