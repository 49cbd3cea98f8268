// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks.
//
// libgomp is given a function of ours in place of the task's. What that needs to know, it gets in one of three ways. An
// undeferred task runs at once, with the program's own block: it is left with the thread (Given). One that libgomp may
// defer gets a block with a header, which libgomp has a function of ours copy, at once too. Where libgomp may run other
// tasks before, or may not come to it at all, the block with its header is made beforehand, and kept in a room.
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "tracer/gomp/state.hpp"
#include "tracer/gomp/tail.hpp"
#include "tracer/gomp/tasks.hpp"
#include "tracer/record.hpp"

namespace tracer::gomp {

[[gnu::noinline]] Prior prior_task() noexcept {
  Thread& self = thread;
  if (!is_known(self)) [[unlikely]]
    begin_thread(self, ompt_thread_other);
  return Prior(self);
}

[[gnu::noinline]] void end_task(std::uint64_t id, Prior prior) noexcept {
  Thread& self = thread;
  self.function = prior.function();
  if (!prior.is_of_this_process()) return;
  self.task = prior.task;
  if (on.has_tasks) [[likely]]
    record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::end, ompt_task_complete), 0, id, prior.task});
}

namespace {

/// Of tasks whose block libgomp copies as it is, and neither reads nor writes: most of them.
struct PlainHeader {
  Function function;
  std::uint64_t task;
};
static_assert(sizeof(PlainHeader) == plain_alignment);
/// What libgomp copies where it runs such a task at once lies on the stack.
constexpr long most_on_stack = 512;

[[gnu::always_inline]] inline bool is_plain(long alignment, unsigned flags) noexcept {
  return alignment <= plain_alignment && (flags & (flag_reduction | flag_detach)) == 0;
}

/// Of a handler that interrupts the thread between, this keeps off.
[[gnu::always_inline]] inline Given take_given(Thread& self) noexcept {
  const Given given = self.given;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  self.given.function = nullptr;
  return given;
}

[[gnu::noinline]] Begun begin_given(void* block) noexcept {
  Thread& self = thread;
  const Given given = take_given(self);
  return begin_task(self, given.task, given.function, block);
}
void run_given(void* block) {
  run_task_of(block, &begin_given);
}

[[gnu::noinline]] Begun begin_plain(void* argument) noexcept {
  auto& header = *static_cast<PlainHeader*>(argument);
  begin_past_wait(thread);
  return begin_task(thread, header.task, header.function, &header + 1);
}
void run_plain(void* header) {
  run_task_of(header, &begin_plain);
}

/// What libgomp calls to copy `from`, the program's block, behind a header.
void copy_given(void* to, void* from) {
  const Given given = take_given(thread);
  auto* const header = new (to) PlainHeader{given.function, given.task};
  if (given.copy != nullptr) return given.copy(header + 1, from);
  if (from != nullptr) std::memcpy(header + 1, from, given.size);
}

/// Each address once, with how the task depends on it. GCC has no address for omp_all_memory.
template <class Visit>
void for_each_dependence(void** depend, Visit visit) noexcept {
  constexpr std::uint16_t in = ompt_dependence_type_in, inout = ompt_dependence_type_inout,
                          mutex = ompt_dependence_type_mutexinoutset, inoutset = 7, inout_all_memory = 35;
  std::uintptr_t total = reinterpret_cast<std::uintptr_t>(depend[0]);
  const std::uintptr_t out = reinterpret_cast<std::uintptr_t>(depend[total != 0 ? 1 : 2]);
  const auto visit_one = [&](std::uintptr_t index, const void* address, std::uint16_t type) {
    visit(index, total, address, address == nullptr && type == inout ? inout_all_memory : type);
  };
  if (total != 0) {
    for (std::uintptr_t i = 0; i < total; ++i) visit_one(i, depend[2 + i], i < out ? inout : in);
    return;
  }
  total = reinterpret_cast<std::uintptr_t>(depend[1]);
  const std::uintptr_t mutexes = out + reinterpret_cast<std::uintptr_t>(depend[3]);
  const std::uintptr_t plain = mutexes + reinterpret_cast<std::uintptr_t>(depend[4]);
  for (std::uintptr_t i = 0; i < total; ++i) {
    void* const entry = depend[5 + i];
    if (i < plain) {
      visit_one(i, entry, i < out ? inout : i < mutexes ? mutex : in);
    } else {  // an omp_depend_t: the address and GCC's number of its kind
      void* const* const object = static_cast<void* const*>(entry);
      constexpr std::uint16_t kinds[] = {inout, in, inout, inout, mutex, inoutset};
      const auto kind = reinterpret_cast<std::uintptr_t>(object[1]);
      visit_one(i, object[0], kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : inout);
    }
  }
}

[[gnu::noinline]] void record_task_dependences(std::uint64_t task, void** depend) noexcept {
  if (!on.has_dependences) return;
  const std::uint64_t time = front->now();
  for_each_dependence(depend, [=](std::uintptr_t index, std::uintptr_t total, const void* address, std::uint16_t type) {
    front->emit_at(time, TRACER_WORD(RecordKind::dependences, 0, type),
                   static_cast<std::uint32_t>(index & 0xffff) | static_cast<std::uint32_t>(total & 0xffff) << 16, task,
                   reinterpret_cast<std::uint64_t>(address));
  });
}

void record_wait_for(void** depend, const void* code) noexcept {
  const std::uint64_t id = create_task(thread.task, task_flag::taskwait | ompt_task_mergeable, true, code);
  record_task_dependences(id, depend);
  record(Words{TRACER_WORD(RecordKind::task_schedule, Endpoint::none, task_status::taskwait_complete), 0, id, 0});
}

/// What libgomp is asked to copy where the program has a function for its block.
struct Source {
  PlainHeader header;
  Copy copy;
  void* data;
};
void copy_source(void* to, void* from) {
  const Source source = *static_cast<const Source*>(from);
  source.copy(new (to) PlainHeader(source.header) + 1, source.data);
}
Source* new_source(const Frame& frame, Function function, void* data, Copy copy, std::uint64_t task) noexcept {
  void* const room = thread.rooms.take(frame, sizeof(Source));
  return room != nullptr ? new (room) Source{{function, task}, copy, data} : nullptr;
}

PlainHeader* new_plain_header(const Frame& frame, Function function, void* data, long size,
                              std::uint64_t task) noexcept {
  const auto bytes = static_cast<std::size_t>(size);
  void* const room = thread.rooms.take(frame, sizeof(PlainHeader) + bytes);
  if (room == nullptr) return nullptr;
  auto* const header = new (room) PlainHeader{function, task};
  if (data != nullptr && size > 0) std::memcpy(header + 1, data, bytes);
  return header;
}

[[gnu::noinline]] void give_back_room(void* room) noexcept {
  thread.rooms.give_back(room);
}

/// Keep as little on the stack as they can. They are of GOMP_task's type, so that they can be jumped to: the third
/// argument is the function to call.
using GompTask = decltype(&::GOMP_task);
[[gnu::noinline]] void call_with_plain_header(Function, void* header, Copy gomp_task, long size, long alignment,
                                              bool condition, unsigned flags, void** depend, int priority,
                                              void* detach) {
  std::bit_cast<GompTask>(gomp_task)(&run_plain, header, nullptr, size, alignment, condition, flags, depend, priority,
                                     detach);
  give_back_room(header);
}
[[gnu::noinline]] void call_with_source(Function, void* source, Copy gomp_task, long size, long alignment,
                                        bool condition, unsigned flags, void** depend, int priority, void* detach) {
  std::bit_cast<GompTask>(gomp_task)(&run_plain, source, &copy_source, size, alignment, condition, flags, depend,
                                     priority, detach);
  give_back_room(source);
}
[[gnu::noinline]] void call_with_header(Function, void* header, Copy gomp_task, long size, long alignment,
                                        bool condition, unsigned flags, void** depend, int priority, void* detach) {
  const Copy copy = static_cast<Header*>(header)->given;
  std::bit_cast<GompTask>(gomp_task)(&run_with_header, header, copy, size, alignment, condition, flags, depend,
                                     priority, detach);
  give_back(static_cast<Header*>(header));
}

/// The creator goes on behind a task that it has left by a jump.
[[gnu::cold]] void go_on(void* creator) noexcept {
  end_left_task(thread, reinterpret_cast<std::uintptr_t>(creator));
}

/// Of the task `id`. nullptr: there is no memory.
void* new_block(const Frame& frame, std::uint64_t id, Function function, void* data, Copy copy, long size,
                long alignment, unsigned flags) noexcept {
  void *block = nullptr, *room = nullptr;
  if (!is_plain(alignment, flags)) {
    Header* const header = new_header(frame, function, data, copy, size, alignment, flags);
    if (header == nullptr) return nullptr;
    header->task = id;
    header->carried = (flags & flag_detach) != 0 && data != nullptr ? 1 : 0;
    block = header;
    room = room_of(*header);
  } else {
    block = room = copy != nullptr ? static_cast<void*>(new_source(frame, function, data, copy, id))
                                   : new_plain_header(frame, function, data, size, id);
    if (block == nullptr) return nullptr;
  }
  Rooms::when_left(room, &go_on, reinterpret_cast<void*>(thread.task));
  return block;
}
/// How such a block is handed to libgomp.
GompTask call_with_block(Copy copy, long alignment, unsigned flags) noexcept {
  if (!is_plain(alignment, flags)) return &call_with_header;
  return copy != nullptr ? &call_with_source : &call_with_plain_header;
}

}  // namespace
}  // namespace tracer::gomp

using namespace tracer::gomp;
namespace sync_kind = tracer::sync_kind;

void GOMP_task(Function function, void* data, Copy copy, long size, long alignment, bool condition, unsigned flags,
               void** depend, int priority, void* detach) {
  TRACER_GOMP_ENTER_OUTLINED(GOMP_task, function, data, copy, size, alignment, condition, flags, depend, priority,
                             detach);
  Thread& self = thread;
  const GompTask gomp_task = site.runtime->GOMP_task;
  const bool depends = (flags & flag_depend) != 0;
  const bool is_at_once = !condition && copy == nullptr;
  const bool is_small = is_at_once || size <= most_on_stack;
  const bool needs_no_room =
      is_plain(alignment, flags) && is_small && !depends && !site.runtime->cancels && self.given.function == nullptr;
  if (!needs_no_room) [[unlikely]]
    self.rooms.look(TRACER_GOMP_FRAME.at);
  const std::uint64_t id = create_task(self.task, task_flags(flags, !condition), depends, site.code);
  if (needs_no_room) [[likely]] {
    self.given.function = function;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    self.given.task = id;
    if (is_at_once)
      TRACER_TAIL return gomp_task(&run_given, data, nullptr, size, alignment, condition, flags, depend, priority,
                                   detach);
    self.given.copy = copy;
    self.given.size = static_cast<std::size_t>(size);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    TRACER_TAIL return gomp_task(&run_plain, data, &copy_given, size + plain_alignment, plain_alignment, condition,
                                 flags, depend, priority, detach);
  }
  if (depends) record_task_dependences(id, depend);
  void* const block = new_block(TRACER_GOMP_FRAME, id, function, data, copy, size, alignment, flags);
  if (block == nullptr) [[unlikely]]
    TRACER_TAIL return gomp_task(function, data, copy, size, alignment, condition, flags, depend, priority, detach);
  const long offset = is_plain(alignment, flags) ? plain_alignment : static_cast<long>(offset_of(alignment));
  const GompTask call = call_with_block(copy, alignment, flags);
  TRACER_TAIL return call(function, block, std::bit_cast<Copy>(gomp_task), size + offset, alignment_of(alignment),
                          condition, flags, depend, priority, detach);
}

void GOMP_taskwait() {
  TRACER_GOMP_ENTER(GOMP_taskwait);
  waiting(sync_kind::taskwait, site.code, [&] { site.runtime->GOMP_taskwait(); });
}

void GOMP_taskwait_depend(void** depend) {
  TRACER_GOMP_ENTER(GOMP_taskwait_depend, depend);
  waiting(sync_kind::taskwait, site.code, [&] { site.runtime->GOMP_taskwait_depend(depend); });
}

// An empty task, recorded as OMPT reports waits for dependences: complete at once, since its completion is not visible.
void GOMP_taskwait_depend_nowait(void** depend) {
  TRACER_GOMP_ENTER(GOMP_taskwait_depend_nowait, depend);
  if (on.has_tasks) record_wait_for(depend, site.code);
  site.runtime->GOMP_taskwait_depend_nowait(depend);
}

void GOMP_taskyield() {
  TRACER_GOMP_ENTER(GOMP_taskyield);
  site.runtime->GOMP_taskyield();
}

void GOMP_taskgroup_start() {
  TRACER_GOMP_ENTER(GOMP_taskgroup_start);
  ompt_data_t task = word_of(thread.task);
  on.sync_region(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, &task, site.code);
  site.runtime->GOMP_taskgroup_start();
}

void GOMP_taskgroup_end() {
  TRACER_GOMP_ENTER(GOMP_taskgroup_end);
  begin_half_wait(sync_kind::taskgroup, site.code);
  site.runtime->GOMP_taskgroup_end();
  wait_ends(sync_kind::taskgroup, site.code);
}
